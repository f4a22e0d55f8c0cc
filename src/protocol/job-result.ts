import type { Usage } from '../core/budget/budget.ts'
import type { Job, JobResult } from '../core/campaign/job.ts'
import type { RunnerFacts, UsedIsolation } from '../core/measuring/provenance.ts'
import type { ChangeStats } from '../core/space/descriptor.ts'
import type { Proposed } from './proposal.ts'
import type { ResultOutcome } from './result.ts'

/** The parts of a proposal that its result needs. */
export interface MeasuredProposal extends Pick<Proposed, 'tree' | 'summary' | 'card' | 'descriptor'> {
  readonly models?: readonly string[] | undefined
}

/** The outcome of a job: in memory on one machine, or read from the two artifacts of a run. */
export interface JobOutcome<P extends MeasuredProposal = MeasuredProposal> {
  /** What was measured; undefined for jobs that propose nothing, and for proposals that were not measured. */
  readonly proposed?: P | undefined
  readonly outcome: ResultOutcome
  readonly isolation?: UsedIsolation | undefined
  readonly runner?: RunnerFacts | undefined
  readonly usage: Usage
}

/** A candidate's commit, or why the host does not make one. */
export type CandidateCommit =
  | { readonly status: 'made'; readonly commit: string }
  | { readonly status: 'refused'; readonly detail: string }

const NO_CHANGE: ChangeStats = { files: 0, linesAdded: 0, linesRemoved: 0 }

/**
 * Assembles the result that enters the ledger, for every host. `commit` makes the commit of a candidate that was
 * measured: nothing else gets one.
 */
export async function assembleResult<P extends MeasuredProposal>(
  job: Job,
  { proposed, outcome, isolation, runner, usage }: JobOutcome<P>,
  commit: (proposed: P) => Promise<CandidateCommit>,
): Promise<JobResult> {
  if (outcome.status === 'duplicate')
    return { status: 'duplicate', tree: outcome.tree, summary: outcome.summary ?? '', usage }
  if (outcome.status === 'failed') {
    const { reason, detail, tree } = outcome
    const summary = proposed?.summary ?? outcome.summary
    // A tree that was measured before belongs to the candidate that brought it.
    const own = job.kind === 'candidate' ? { tree, summary } : {}
    return { status: 'failed', reason, detail, ...own, usage }
  }
  const { tree, metrics, samples } = outcome
  const measured = { status: 'measured', tree, metrics, samples, isolation, runner, usage } as const
  if (proposed === undefined) {
    const { change = NO_CHANGE, embedding } = outcome
    return { ...measured, commit: job.parent.commit, change, embedding, summary: summaryOf(job) }
  }
  const { descriptor, card, summary } = proposed
  const made = await commit(proposed)
  if (made.status === 'refused')
    return { status: 'failed', reason: 'guard-blocked', detail: made.detail, tree, summary, usage }
  return { ...measured, commit: made.commit, ...descriptor, card, summary }
}

function summaryOf({ kind, parent, rival }: Job): string {
  if (kind === 'baseline') return 'the root'
  const how = rival === undefined ? 'measured again' : `interleaved with ${rival.ordinal}`
  return `candidate ${parent.ordinal}, ${how}`
}
