import { join } from 'node:path'
import type { Agent, Brief, Workplace } from '../agents/agent.ts'
import { type AgentUsage, Meter } from '../agents/meter.ts'
import { Transcript } from '../agents/transcript.ts'
import type { Job } from '../core/campaign.ts'
import { cleanText } from '../core/clean-text.ts'
import type { Rng } from '../core/rng.ts'
import type { FailureReason } from '../core/verdict.ts'
import { renderDiff } from '../git/diffs.ts'
import { diffTrees, type FileVersion, type PathChange, type TreeFile } from '../git/listing.ts'
import type { ObjectStore } from '../git/objects.ts'
import { writeTreeOf } from '../git/staging.ts'
import { findInTree } from '../git/trees.ts'
import type { Guard } from '../guard/guard.ts'
import { checkTrees } from './campaign-guard.ts'
import { createWorkFolder, type WorkFolder } from './work-folder.ts'
import type { Workshop } from './workshop.ts'

export interface ProposalOrder {
  readonly job: Job
  readonly agent: Agent
  readonly brief: Brief
  readonly guard: Guard
  readonly workshop: Workshop
  readonly objects: ObjectStore
  readonly place: string
  readonly path: string
  readonly rng: Rng
  readonly timeoutMs: number
  readonly owner: string
  readonly signal: AbortSignal
}

export type Proposal =
  | {
      readonly status: 'proposed'
      readonly tree: string
      /** What differs from the campaign's root. */
      readonly changes: readonly PathChange[]
      readonly summary: string
      readonly usage: AgentUsage
    }
  | {
      readonly status: 'failed'
      readonly reason: FailureReason
      readonly detail: string
      readonly usage: AgentUsage
    }
  | { readonly status: 'aborted' }

// Longer texts would be refused when the state is read again.
const TEXT_CHARACTERS = 1000

/** Lets an agent work on the parent's files, and takes what it leaves as a tree, if the guard lets it pass. */
export async function propose(order: ProposalOrder): Promise<Proposal> {
  const { repository } = order.workshop.area
  const inherited = await diffTrees(repository, order.workshop.rootTree, order.job.parent.tree)
  const folder = await createWorkFolder({
    place: join(order.place, 'agent'),
    template: order.workshop.template,
    changes: inherited.map(({ pathBytes, after }) => ({ pathBytes, version: after })),
    objects: order.objects,
    path: order.path,
    owner: order.owner,
  })
  try {
    const worked = await letAgentWork(order, folder, inherited)
    if (worked.status !== 'changed') return worked
    const tree = await tryWriteTree(order, folder, worked)
    return typeof tree === 'string' ? await judgeTree(order, tree, worked) : tree
  } finally {
    await folder.remove()
  }
}

interface Worked {
  readonly status: 'changed'
  readonly summary: string
  readonly usage: AgentUsage
}

async function letAgentWork(
  order: ProposalOrder,
  folder: WorkFolder,
  inherited: readonly PathChange[],
): Promise<Worked | Exclude<Proposal, { status: 'proposed' }>> {
  const signal = AbortSignal.any([order.signal, AbortSignal.timeout(order.timeoutMs)])
  const meter = new Meter()
  const task = {
    meter,
    transcript: new Transcript(),
    brief: order.brief,
    workplace: createWorkplace(order, folder, inherited),
    rng: order.rng,
    signal,
  }
  try {
    const plan = await order.agent.plan(task)
    const coded = await order.agent.code(task, plan)
    if (order.signal.aborted) return { status: 'aborted' }
    const { usage } = meter
    if (coded.status === 'unchanged')
      return {
        status: 'failed',
        reason: 'no-change',
        detail: cleanText(coded.reason, TEXT_CHARACTERS),
        usage,
      }
    return { status: 'changed', summary: cleanText(coded.summary, TEXT_CHARACTERS), usage }
  } catch (error) {
    if (order.signal.aborted) return { status: 'aborted' }
    // One agent's fault is one candidate's failure: it must not end the campaign.
    return failedAgent(error, meter.usage)
  }
}

function failedAgent(error: unknown, usage: AgentUsage): Proposal & { status: 'failed' } {
  const said = error instanceof Error ? error.message : String(error)
  return { status: 'failed', reason: 'agent-failed', detail: cleanText(said, TEXT_CHARACTERS), usage }
}

// An agent may leave what git refuses to take: names that are unsafe somewhere, a half-made repository, nothing.
async function tryWriteTree(
  { workshop }: ProposalOrder,
  folder: WorkFolder,
  { usage }: Worked,
): Promise<string | (Proposal & { status: 'failed' })> {
  try {
    return await writeTreeOf(workshop.area, folder.files, folder.indexFile)
  } catch (error) {
    return failedAgent(error, usage)
  }
}

async function judgeTree(order: ProposalOrder, tree: string, { summary, usage }: Worked): Promise<Proposal> {
  const { area, rootTree } = order.workshop
  const { guard, objects } = order
  const own = await checkTrees({ repository: area.repository, objects, guard }, order.job.parent.tree, tree)
  const { verdict } = own
  if (own.changes.length === 0)
    return { status: 'failed', reason: 'no-change', detail: 'the files are as they were', usage }
  if (verdict.status === 'blocked') {
    const detail = cleanText(`${verdict.reason}: ${verdict.paths.join(', ')}`, TEXT_CHARACTERS)
    return { status: 'failed', reason: 'guard-blocked', detail, usage }
  }
  return {
    status: 'proposed',
    tree,
    changes: await diffTrees(area.repository, rootTree, tree),
    summary,
    usage,
  }
}

function createWorkplace(
  order: ProposalOrder,
  folder: WorkFolder,
  inherited: readonly PathChange[],
): Workplace {
  const { job, objects, workshop } = order
  const trees = new Map([job.parent, ...job.inspirations].map(({ ordinal, tree }) => [ordinal, tree]))
  return {
    folder: folder.files,
    scratch: folder.temp,
    owner: order.owner,
    editablePaths: findEditable(workshop.rootFiles, inherited, order.guard),
    canEdit: (path) => order.guard.isEditable(path),
    readAt: async (version, path) => {
      const tree = version === 'root' ? workshop.rootTree : trees.get(version)
      return tree === undefined ? undefined : await readText(objects, tree, path)
    },
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
