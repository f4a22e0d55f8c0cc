import { NO_USAGE, type Usage } from '../../core/budget/budget.ts'
import { mostOfJob } from '../../core/budget/stop-rules.ts'
import type { Job } from '../../core/campaign/job.ts'
import type { RepositoryApi } from '../../github/api/repository-api.ts'
import { findModelUsage } from '../../github/runs/run-results.ts'
import type { JobFacts } from '../../github/runs/runs.ts'
import { findBindingInJobName, isEvaluation } from '../../protocol/dispatch.ts'
import type { Snapshot } from '../../store/state-store.ts'
import { inputsOf } from './job-runs.ts'

/** A run that leaves no result. */
export interface LostRun {
  readonly id: number
  readonly snapshot: Snapshot
  readonly job: Job
  readonly jobs: readonly JobFacts[]
  /** For jobs that are still under way. */
  readonly nowMs?: number
}

/**
 * What a run without a result has cost all the same: its runners' time, and its model. A proposal tells that; where a
 * candidate was begun and none can be read it counts at its most, for the model may have been paid all of it.
 */
export async function costOfRun(api: RepositoryApi, run: LostRun): Promise<Usage> {
  const runnerMs = timeOf(run.jobs, run.nowMs)
  const { kind } = inputsOf(run.snapshot, run.job)
  if (kind !== 'candidate' || !run.jobs.some(hasBegun)) return { ...NO_USAGE, runnerMs }
  const model = (await findProposed(api, run)) ?? mostOfJob(run.job, run.snapshot.state.campaign.reserved)
  return { ...model, runnerMs }
}

async function findProposed(
  api: RepositoryApi,
  { id, snapshot, job, jobs }: LostRun,
): Promise<Usage | undefined> {
  const evaluation = jobs.find((each) => isEvaluation(each.name) && hasBegun(each))
  const binding = evaluation && findBindingInJobName(evaluation.name)
  // Candidate code may have run, and nothing tells which proposal it began from.
  if (evaluation !== undefined && binding === undefined) return undefined
  const { kind, candidate, nonce } = inputsOf(snapshot, job)
  const base = job.parent.commit
  return await findModelUsage(api, { runId: id, kind, candidate, attempt: job.attempt, nonce, binding, base })
}

// One that waited for a runner, or was skipped, has no steps.
function hasBegun({ steps, underwaySince }: JobFacts): boolean {
  return steps > 0 || underwaySince !== undefined
}

function timeOf(jobs: readonly JobFacts[], nowMs = 0): number {
  const timesMs = jobs.map(({ ranMs, underwaySince }) =>
    underwaySince === undefined ? ranMs : Math.max(0, nowMs - Date.parse(underwaySince)),
  )
  return timesMs.reduce((sum, timeMs) => sum + timeMs, 0)
}
