import { NO_USAGE, type Usage } from '../../core/budget/budget.ts'
import { mostOfJob } from '../../core/budget/stop-rules.ts'
import type { RepositoryApi } from '../../github/api/repository-api.ts'
import { findModelUsage } from '../../github/runs/run-results.ts'
import type { JobFacts } from '../../github/runs/runs.ts'
import { findBindingInJobName, isEvaluation } from '../../protocol/dispatch.ts'
import type { Snapshot } from '../../store/state-store.ts'
import { bindingOf, type RunJob } from './job-runs.ts'

/** A run that leaves no result. */
export interface LostRun {
  readonly id: number
  readonly snapshot: Snapshot
  readonly job: RunJob
  readonly jobs: readonly JobFacts[]
  /** For jobs that are still running. */
  readonly nowMs?: number
}

/**
 * The cost of a run without a result: runner time and model. The proposal tells what the model cost. If a candidate was
 * started and its proposal cannot be read, the full reservation is charged, because all of it may have been spent.
 */
export async function costOfRun(api: RepositoryApi, run: LostRun): Promise<Usage> {
  const runnerMs = timeOf(run.jobs, run.nowMs)
  if (run.job.kind !== 'candidate' || !run.jobs.some(hasBegun)) return { ...NO_USAGE, runnerMs }
  const model = (await findProposed(api, run)) ?? mostOfJob(run.job, run.snapshot.state.campaign.reserved)
  return { ...model, runnerMs }
}

async function findProposed(
  api: RepositoryApi,
  { id, snapshot, job, jobs }: LostRun,
): Promise<Usage | undefined> {
  const evaluation = jobs.find((each) => isEvaluation(each.name) && hasBegun(each))
  const binding = evaluation && findBindingInJobName(evaluation.name)
  // Candidate code may have run, and nothing shows which proposal it came from.
  if (evaluation !== undefined && binding === undefined) return undefined
  const { attempt, parent } = job
  const expected = { ...bindingOf(snapshot.state, job), runId: id, attempt, binding, base: parent?.commit }
  return await findModelUsage(api, expected)
}

// A job that waited for a runner or was skipped has no steps.
function hasBegun({ steps, underwaySince }: JobFacts): boolean {
  return steps > 0 || underwaySince !== undefined
}

function timeOf(jobs: readonly JobFacts[], nowMs = 0): number {
  const timesMs = jobs.map(({ ranMs, underwaySince }) =>
    underwaySince === undefined ? ranMs : Math.max(0, nowMs - Date.parse(underwaySince)),
  )
  return timesMs.reduce((sum, timeMs) => sum + timeMs, 0)
}
