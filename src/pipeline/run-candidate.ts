import { addUsage, NO_USAGE } from '../core/budget/budget.ts'
import type { Job } from '../core/campaign/job.ts'
import type { MeasurementPlan } from '../core/measuring/measurement-plan.ts'
import type { PathChange } from '../git/listing.ts'
import { assertPathsStored } from '../git/objects/trees.ts'
import type { JobOutcome } from '../protocol/job-result.ts'
import { type JobContext, jobFolder, usedIsolation } from './job-context.ts'
import type { Measurement } from './measuring/evaluate-tree.ts'
import { isDescribed, measureTree } from './measuring/measure-tree.ts'
import type { MeasurementRequest } from './measuring/measuring-runs.ts'
import type { Application } from './proposal-files.ts'
import { type Proposal, type ProposingHost, proposeCandidate } from './proposing/propose-candidate.ts'

/** What measuring asks of its host. */
export interface MeasuringHost {
  /** Called when the measurement begins: the state may have changed since the job began. */
  plan(job: Job): MeasurementPlan
  /** Whether the host can describe what it measures, which may need a key. Default: it can. */
  canDescribe?(job: Job): boolean
  /** Measures when there is room for it. */
  measure(job: Job, request: MeasurementRequest, signal: AbortSignal): Promise<Measurement>
}

/**
 * Who does which half of a job. With both, the proposal stays in memory. Otherwise `proposal.json` carries it from the
 * machine that has the model's key to the one that runs candidate code.
 */
export interface CandidateHost {
  readonly proposing?: ProposingHost
  readonly measuring?: MeasuringHost
  /** Sends a proposal, or what became of it, to the other machine. */
  send?(proposal: Exclude<Proposal, { status: 'duplicate' }>): Promise<void>
  /** Rebuilds the tree that the other machine proposed, before any candidate code starts. */
  receive?(context: JobContext): Promise<Application>
}

/** The outcome of a job, with what its agent said. */
export interface CandidateRun extends JobOutcome {
  readonly status: 'done'
  readonly transcript?: string | undefined
}

/** `aborted`: the job stays open. `sent`: the other machine goes on. */
type Unfinished = { readonly status: 'aborted' } | { readonly status: 'sent' }

/**
 * Works on one job: propose → guard → hand over → guard → measure. A job that proposes nothing (the root, a confirmation,
 * a duel) is only measured.
 */
export async function runCandidate(
  context: JobContext,
  job: Job,
  host: CandidateHost,
  signal: AbortSignal,
): Promise<CandidateRun | Unfinished> {
  const { proposing, measuring } = host
  const proposal =
    job.kind === 'candidate' && proposing
      ? await proposeCandidate(context, job, proposing, signal)
      : undefined
  if (proposal?.status === 'aborted') return proposal
  if (proposal !== undefined && proposal.status !== 'duplicate') await host.send?.(proposal)
  if (proposal !== undefined && proposal.status !== 'proposed') {
    const { usage, transcript } = proposal
    return { status: 'done', outcome: proposal, usage, transcript }
  }
  if (measuring === undefined) return { status: 'sent' }
  const received = await host.receive?.(context)
  if (received?.status === 'failed') return { status: 'done', outcome: received, usage: NO_USAGE }
  const made = proposal ?? received
  const measured = await measure(context, job, { made, measuring, signal })
  if (measured.status === 'aborted') return { status: 'aborted' }
  return {
    status: 'done',
    proposed: proposal,
    outcome: measured.outcome,
    isolation: usedIsolation(context.isolation),
    usage: addUsage(proposal?.usage ?? NO_USAGE, measured.usage),
    transcript: proposal?.transcript,
  }
}

interface Measured {
  /** The candidate; undefined if a commit is measured. */
  readonly made: { readonly tree: string; readonly changes: readonly PathChange[] } | undefined
  readonly measuring: MeasuringHost
  readonly signal: AbortSignal
}

async function measure(context: JobContext, job: Job, { made, measuring, signal }: Measured) {
  const subject = {
    folder: jobFolder(context, job),
    tree: made?.tree ?? job.parent.tree,
    base: job.parent.tree,
    changes: made?.changes,
    describes: isDescribed(job) && measuring.canDescribe?.(job) !== false,
    rival: job.rival?.tree,
    plan: () => measuring.plan(job),
  }
  const measured = await measureTree(context, subject, (request) => measuring.measure(job, request, signal))
  // No ref holds the candidate's objects while it is measured, so `git gc --prune=now` removes them. A commit of what is
  // left would be broken.
  if (made !== undefined && measured.status === 'done')
    await assertPathsStored(
      context.objects,
      made.tree,
      made.changes.map(({ path }) => path),
    )
  return measured
}
