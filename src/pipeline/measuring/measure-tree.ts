import { NO_USAGE, type Usage } from '../../core/budget/budget.ts'
import type { Job } from '../../core/campaign/job.ts'
import type { MeasurementPlan } from '../../core/measuring/measurement-plan.ts'
import { diffTrees, type PathChange } from '../../git/listing.ts'
import type { ResultOutcome } from '../../protocol/result.ts'
import { countChange } from '../describing/change-stats.ts'
import { tryDescribe } from '../describing/describer.ts'
import type { JobContext } from '../job-context.ts'
import type { Measurement } from './evaluate-tree.ts'
import type { MeasurementRequest } from './measuring-runs.ts'
import type { RunLog } from './run-logs.ts'

/** Whether a job's tree is described when it is measured: the root, and elites after a change of embedder. */
export function isDescribed({ kind, describes }: Pick<Job, 'kind' | 'describes'>): boolean {
  return kind === 'baseline' || describes === true
}

/** A tree to measure. */
export interface MeasureRequest {
  /** The job's own folder. */
  readonly folder: string
  readonly tree: string
  /** The tree it was made from; the tree itself if it was measured before. */
  readonly base: string
  /** Its difference from the campaign's root, if already known. */
  readonly changes?: readonly PathChange[] | undefined
  readonly describes: boolean
  /** The tree of a duel's rival. */
  readonly rival?: string | undefined
  readonly plan: () => MeasurementPlan
}

/** The outcome of measuring, the output of its commands, and the cost. */
export type MeasuredTree =
  | {
      readonly status: 'done'
      readonly outcome: Exclude<ResultOutcome, { status: 'duplicate' }>
      readonly logs: readonly RunLog[]
      readonly usage: Usage
    }
  | { readonly status: 'aborted'; readonly logs: readonly RunLog[] }

/** Measures a proposed or an existing tree. */
export async function measureTree(
  { preparedRoot, objects, describer }: JobContext,
  { folder, tree, base, rival, plan, describes, changes: known }: MeasureRequest,
  measure: (request: MeasurementRequest) => Promise<Measurement>,
): Promise<MeasuredTree> {
  const changesTo = (to: string) => diffTrees(preparedRoot.area.repository, preparedRoot.rootTree, to)
  const changes = known ?? (await changesTo(tree))
  const rivalChanges = rival === undefined ? undefined : await changesTo(rival)
  const { usage: paid, ...described } = await tryDescribe(describes ? describer : undefined, changes)
  const usage = { ...NO_USAGE, ...paid }
  if (described.status === 'failed') return { status: 'done', outcome: described, logs: [], usage }
  const measured = await measure({ folder, tree, base, changes, rivalChanges, plan: plan() })
  const { logs } = measured
  if (measured.status === 'aborted') return { status: 'aborted', logs }
  const spent = { ...usage, runnerMs: Math.round(measured.runnerMs) }
  if (measured.status === 'failed') {
    const { reason, detail } = measured
    return { status: 'done', outcome: { status: 'failed', reason, detail, tree }, logs, usage: spent }
  }
  const { metrics, samples } = measured
  // A proposal already carries its counts, and the root has no changes.
  const isCounted = tree === base && changes.length > 0
  const change = isCounted ? await countChange(changes, objects) : undefined
  const { embedding } = described
  return {
    status: 'done',
    outcome: {
      status: 'measured',
      tree,
      metrics,
      samples: [...samples],
      ...(embedding && { embedding }),
      ...(change && { change }),
    },
    logs,
    usage: spent,
  }
}
