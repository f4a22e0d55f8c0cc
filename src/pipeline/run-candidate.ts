import { addUsage, NO_USAGE } from '../core/budget/budget.ts'
import type { Job } from '../core/campaign/job.ts'
import type { MeasurementPlan } from '../core/measuring/measurement-plan.ts'
import type { JobOutcome } from '../protocol/job-result.ts'
import type { Measurement } from './evaluate-job.ts'
import { type JobSetting, placeOf } from './job-setting.ts'
import { isDescribed, measureTree } from './measure-tree.ts'
import type { MeasurementOrder } from './measuring-runs.ts'
import { type ProposingHost, proposeCandidate } from './propose-candidate.ts'
import { usedIsolation } from './used-isolation.ts'

/** What measuring asks of its host. */
export interface MeasuringHost {
  /** Asked when the measurement begins: what the root measured may not be known before. */
  plan(job: Job): MeasurementPlan
  /** Measures when there is room for it. */
  measure(job: Job, request: MeasurementOrder, signal: AbortSignal): Promise<Measurement>
}

/** What became of a job, with what its agent said. */
export interface CandidateRun extends JobOutcome {
  readonly transcript?: string | undefined
}

/**
 * Works on one job: propose → guard → measure. A job that proposes nothing (the root, a confirmation, a duel) is only
 * measured. Undefined when it was aborted, in which case the job stays open.
 *
 * Where the two halves run on two machines, each calls its own half, and artifacts carry what this function holds in
 * memory: `proposal.json` the proposal, `result.json` the outcome.
 */
export async function runCandidate(
  setting: JobSetting,
  job: Job,
  host: ProposingHost & MeasuringHost,
  signal: AbortSignal,
): Promise<CandidateRun | undefined> {
  const proposal = job.kind === 'candidate' ? await proposeCandidate(setting, job, host, signal) : undefined
  if (proposal?.status === 'aborted') return undefined
  if (proposal !== undefined && proposal.status !== 'proposed') {
    const { usage, transcript } = proposal
    return { outcome: proposal, usage, transcript }
  }
  const request = {
    place: placeOf(setting, job),
    tree: proposal?.tree ?? job.parent.tree,
    base: job.parent.tree,
    changes: proposal?.changes,
    describes: isDescribed(job),
    rival: job.rival?.tree,
    plan: () => host.plan(job),
  }
  const measured = await measureTree(setting, request, (order) => host.measure(job, order, signal))
  if (measured.status === 'aborted') return undefined
  return {
    proposed: proposal,
    outcome: measured.outcome,
    isolation: usedIsolation(setting.isolation),
    usage: addUsage(proposal?.usage ?? NO_USAGE, measured.usage),
    transcript: proposal?.transcript,
  }
}
