import type { Job } from '../core/campaign/job.ts'
import type { JobContext } from '../pipeline/job-context.ts'
import type { Measurement } from '../pipeline/measuring/evaluate-tree.ts'
import { evaluateTree } from '../pipeline/measuring/evaluate-tree.ts'
import type { MeasuringHost } from '../pipeline/run-candidate.ts'
import type { Snapshot } from '../store/state-store.ts'
import type { ProcessTurns } from './process-turns.ts'

/** Measures on this machine. If numbers vary, measures alone: others would disturb it. */
export function createMeasure(
  context: JobContext,
  current: () => Snapshot | undefined,
  turns: ProcessTurns,
): MeasuringHost['measure'] {
  const twins = new Twins()
  const measure: MeasuringHost['measure'] = async (_job, request, signal) => {
    const work = (): Promise<Measurement> => evaluateTree(context, request, signal)
    return await (request.plan.kind === 'once' ? work() : turns.measure(work))
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
 * Measures each tree once. Running candidates with the same files share the first one's measurement. Admission decides
 * later which of them counts, so the number of workers changes nothing.
 */
export class Twins {
  readonly #known = new Map<string, Promise<Measurement>>()

  /** The measurement stored under this key, or the result of the work. */
  async measure(key: string, work: () => Promise<Measurement>): Promise<Measurement> {
    const known = this.#known.get(key)
    // If the first one threw, its own job reports that; this tree is measured on its own.
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

// A machine fault, or the guard's verdict on another base, says nothing about an equal tree.
function isOfTheTree(measurement: Exclude<Measurement, { status: 'aborted' }>): boolean {
  if (measurement.status === 'measured') return true
  const { reason } = measurement
  return reason !== 'infrastructure' && reason !== 'cancelled' && reason !== 'guard-blocked'
}

/** The figures of an equal tree whose candidate is waiting for admission, perhaps since an earlier run. */
export function findWaiting(jobs: Iterable<Job>, tree: string): Measurement | undefined {
  for (const { kind, result } of jobs) {
    if (kind !== 'candidate' || result?.status !== 'measured' || result.tree !== tree) continue
    return { status: 'measured', metrics: result.metrics, samples: result.samples, runnerMs: 0, logs: [] }
  }
  return undefined
}
