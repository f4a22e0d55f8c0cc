import type { Workspace } from '../agents/agent.ts'
import { renderDiff } from '../git/diffs.ts'
import type { FileVersion, PathChange, TreeFile } from '../git/listing.ts'
import type { ObjectStore } from '../git/objects/object-store.ts'
import { findInTree } from '../git/objects/trees.ts'
import type { Guard } from '../guard/guard.ts'
import { createCheck } from './agent-check.ts'
import type { ProposalOrder } from './propose.ts'
import type { WorkFolder } from './work-folder.ts'

/** The folder of one candidate as its agent sees it. */
export function createWorkplace(
  order: ProposalOrder,
  folder: WorkFolder,
  inherited: readonly PathChange[],
): Workspace {
  const { job, objects, workshop } = order
  const trees = new Map([job.parent, ...job.inspirations].map(({ ordinal, tree }) => [ordinal, tree]))
  return {
    folder: folder.files,
    scratch: folder.temp,
    owner: order.owner,
    disk: folder.disk,
    editablePaths: findEditable(workshop.rootFiles, inherited, order.guard),
    canEdit: (path) => order.guard.isEditable(path),
    readAt: async (version, path) => {
      if (order.withheld.includes(path)) return undefined
      const tree = version === 'root' ? workshop.rootTree : trees.get(version)
      return tree === undefined ? undefined : await readText(objects, tree, path)
    },
    check: order.checks.own && createCheck(order, folder, [order.checks.own]),
    diffFromRoot: async (ordinal) => {
      const to = trees.get(ordinal)
      if (to === undefined || (await objects.find(to)) === undefined) return undefined
      const range = { from: workshop.rootTree, to }
      return (await renderDiff(workshop.area.repository, range, 'diff')).toString('utf8')
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
