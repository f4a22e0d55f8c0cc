import type { Job } from '../core/campaign/job.ts'
import type { JobContext } from '../pipeline/job-context.ts'
import type { Measurement } from '../pipeline/measuring/evaluate-tree.ts'
import { evaluateTree } from '../pipeline/measuring/evaluate-tree.ts'
import type { MeasuringHost } from '../pipeline/run-candidate.ts'
import type { Snapshot } from '../store/state-store.ts'

/** Measures on this machine. Where numbers vary, one at a time: two at once would disturb each other. */
export function createMeasure(
  context: JobContext,
  current: () => Snapshot | undefined,
): MeasuringHost['measure'] {
  let last: Promise<unknown> = Promise.resolve()
  const twins = new Twins()
  const measure: MeasuringHost['measure'] = async (_job, request, signal) => {
    const work = (): Promise<Measurement> => evaluateTree(context, request, signal)
    if (request.plan.kind === 'once') return await work()
    const turn = last.then(work, work)
    last = turn
    return await turn
  }
  return async (job, request, signal) => {
    const state = current()?.state
    if (job.kind !== 'candidate' || state === undefined) return await measure(job, request, signal)
    const { tree } = request
    return (
      findWaiting(state.jobs.values(), tree) ??
      (await twins.measure(`${state.campaign.epoch} ${tree}`, () => measure(job, request, signal)))
    )
  }
}

const KEPT = 64

/**
 * Measures each tree once. Candidates under way that hit on the same files share what the first of them measured,
 * whichever that is: which one counts is decided when they are admitted, so that how many run at once changes nothing.
 */
export class Twins {
  readonly #known = new Map<string, Promise<Measurement>>()

  /** What was measured under this key, or what the work measures now. */
  async measure(key: string, work: () => Promise<Measurement>): Promise<Measurement> {
    const known = this.#known.get(key)
    // A first that fell over tells its own story; this one is measured by itself.
    const shared = known && (await known.catch(() => undefined))
    if (shared !== undefined && shared.status !== 'aborted' && isOfTheTree(shared))
      return { ...shared, runnerMs: 0, logs: [] }
    const measuring = work()
    this.#known.delete(key)
    this.#known.set(key, measuring)
    for (const oldest of [...this.#known.keys()].slice(0, -KEPT)) this.#known.delete(oldest)
    return await measuring
  }
}

// What the machine did, and what the guard says of a tree beside its base, is not the twin's.
function isOfTheTree(measurement: Exclude<Measurement, { status: 'aborted' }>): boolean {
  if (measurement.status === 'measured') return true
  const { reason } = measurement
  return reason !== 'infrastructure' && reason !== 'cancelled' && reason !== 'guard-blocked'
}

/** What a candidate that waits for its turn, perhaps since an earlier run, measured of this tree. */
export function findWaiting(jobs: Iterable<Job>, tree: string): Measurement | undefined {
  for (const { kind, result } of jobs) {
    if (kind !== 'candidate' || result?.status !== 'measured' || result.tree !== tree) continue
    return { status: 'measured', metrics: result.metrics, samples: result.samples, runnerMs: 0, logs: [] }
  }
  return undefined
}
