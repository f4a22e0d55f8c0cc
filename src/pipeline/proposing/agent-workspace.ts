import type { Workspace as AgentWorkspace } from '../../agents/agent.ts'
import type { Job } from '../../core/campaign/job.ts'
import { renderDiff } from '../../git/diffs.ts'
import type { FileVersion, PathChange, TreeFile } from '../../git/listing.ts'
import type { ObjectStore } from '../../git/objects/object-store.ts'
import { findInTree } from '../../git/objects/trees.ts'
import type { Guard } from '../../guard/guard.ts'
import type { Withheld } from '../workspace/withheld.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { type AgentChecks, type CheckOptions, createCheck } from './agent-check.ts'

/** What the agent's view of its workspace is made from. */
export interface AgentWorkspaceOptions extends CheckOptions {
  readonly job: Job
  readonly guard: Guard
  /** Hidden from the agent; the tree keeps it. */
  readonly withheld: Withheld
  readonly checks: AgentChecks
}

/** The workspace of one candidate as its agent sees it. */
export function createAgentWorkspace(
  options: AgentWorkspaceOptions,
  workspace: Workspace,
  inherited: readonly PathChange[],
): AgentWorkspace {
  const { job, objects, preparedRoot } = options
  const known = new Set(preparedRoot.rootFiles.map(({ path }) => path))
  const trees = new Map([job.parent, ...job.inspirations].map(({ ordinal, tree }) => [ordinal, tree]))
  return {
    folder: workspace.files,
    scratch: workspace.temp,
    owner: options.owner,
    disk: workspace.disk,
    editablePaths: findEditable(preparedRoot.rootFiles, inherited, options.guard),
    canEdit: (path) => options.guard.isEditable(path, !known.has(path)),
    explain: (path) => {
      const refusal = options.guard.explain(path, !known.has(path))
      return refusal?.kind === 'outside-scope' ? undefined : refusal?.why
    },
    readAt: async (version, path) => {
      if (options.withheld.includes(path)) return undefined
      const tree = version === 'root' ? preparedRoot.rootTree : trees.get(version)
      return tree === undefined ? undefined : await readText(objects, tree, path)
    },
    check: options.checks.own && createCheck(options, workspace, [options.checks.own]),
    diffFromRoot: async (ordinal) => {
      const to = trees.get(ordinal)
      if (to === undefined || (await objects.find(to)) === undefined) return undefined
      const range = { from: preparedRoot.rootTree, to }
      return (await renderDiff(preparedRoot.area.repository, range, 'diff')).toString('utf8')
    },
  }
}

function findEditable(
  rootFiles: readonly TreeFile[],
  inherited: readonly PathChange[],
  guard: Guard,
): string[] {
  const files = new Map<string, FileVersion | undefined>(rootFiles.map((file) => [file.path, file]))
  for (const { path, after } of inherited) files.set(path, after)
  const plain = [...files].filter(([, file]) => file?.mode === '100644' || file?.mode === '100755')
  return plain
    .map(([path]) => path)
    .filter((path) => guard.isEditable(path))
    .sort()
}

async function readText(objects: ObjectStore, tree: string, path: string): Promise<string | undefined> {
  const entry = await findInTree(objects, tree, path)
  const object = entry === undefined ? undefined : await objects.find(entry.id)
  if (object?.type !== 'blob' || object.content.includes(0)) return undefined
  return object.content.toString('utf8')
}
