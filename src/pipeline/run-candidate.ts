import { addUsage, NO_USAGE } from '../core/budget/budget.ts'
import type { Job } from '../core/campaign/job.ts'
import type { MeasurementPlan } from '../core/measuring/measurement-plan.ts'
import { assertPathsStored } from '../git/objects/trees.ts'
import type { JobOutcome } from '../protocol/job-result.ts'
import { type JobContext, jobFolder, usedIsolation } from './job-context.ts'
import type { Measurement } from './measuring/evaluate-tree.ts'
import { isDescribed, measureTree } from './measuring/measure-tree.ts'
import type { MeasurementRequest } from './measuring/measuring-runs.ts'
import { type ProposingHost, proposeCandidate } from './proposing/propose-candidate.ts'

/** What measuring asks of its host. */
export interface MeasuringHost {
  /** Called when the measurement begins: the state may have changed since the job began. */
  plan(job: Job): MeasurementPlan
  /** Measures when there is room for it. */
  measure(job: Job, request: MeasurementRequest, signal: AbortSignal): Promise<Measurement>
}

/** The outcome of a job, with what its agent said. */
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
  context: JobContext,
  job: Job,
  host: ProposingHost & MeasuringHost,
  signal: AbortSignal,
): Promise<CandidateRun | undefined> {
  const proposal = job.kind === 'candidate' ? await proposeCandidate(context, job, host, signal) : undefined
  if (proposal?.status === 'aborted') return undefined
  if (proposal !== undefined && proposal.status !== 'proposed') {
    const { usage, transcript } = proposal
    return { outcome: proposal, usage, transcript }
  }
  const subject = {
    folder: jobFolder(context, job),
    tree: proposal?.tree ?? job.parent.tree,
    base: job.parent.tree,
    changes: proposal?.changes,
    describes: isDescribed(job),
    rival: job.rival?.tree,
    plan: () => host.plan(job),
  }
  const measured = await measureTree(context, subject, (request) => host.measure(job, request, signal))
  if (measured.status === 'aborted') return undefined
  // No ref holds the candidate's objects while it is measured, so `git gc --prune=now` removes them. A commit of what is
  // left would be broken.
  if (proposal !== undefined)
    await assertPathsStored(
      context.objects,
      proposal.tree,
      proposal.changes.map(({ path }) => path),
    )
  return {
    proposed: proposal,
    outcome: measured.outcome,
    isolation: usedIsolation(context.isolation),
    usage: addUsage(proposal?.usage ?? NO_USAGE, measured.usage),
    transcript: proposal?.transcript,
  }
}
