import type { IslandId } from '../archive/islands.ts'
import type { Usage } from '../budget/budget.ts'
import type { CommitCard } from '../candidate/commit-card.ts'
import type { Sample } from '../measuring/measurement.ts'
import type { Metrics } from '../measuring/objective.ts'
import type { RunnerFacts, UsedIsolation } from '../measuring/provenance.ts'
import type { FailureReason } from '../measuring/verdict.ts'
import type { Operator } from '../planning/operators.ts'
import type { ChangeStats } from '../space/descriptor.ts'
import type { Embedding } from '../space/embedding.ts'
/** What a job does: measure the root, make and measure a candidate, or measure a candidate again. */
export const JOB_KINDS = ['baseline', 'candidate', 'confirm'] as const
export type JobKind = (typeof JOB_KINDS)[number]

/**
 * Why a candidate is measured again, unless somebody asked: it became the best, it has many children, the campaign ends
 * with it, a new epoch began, or it came close to the holder of its cell.
 */
export const CONFIRM_PURPOSES = ['best', 'steering', 'final', 'epoch', 'duel'] as const
export type ConfirmPurpose = (typeof CONFIRM_PURPOSES)[number]

/** A commit that candidates are built on or inspired by. */
export interface ParentRef {
  readonly ordinal: number
  readonly commit: string
  readonly tree: string
}

/** An open candidate, or a finished one that waits for admission (jobs/<ordinal>.json). */
export interface Job {
  readonly ordinal: number
  readonly attempt: number
  readonly kind: JobKind
  readonly operator: Operator
  /** The name of one of `search.lenses`. */
  readonly lens?: string | undefined
  /** The island it comes from and may enter; undefined if there is only one, and for jobs that are not candidates. */
  readonly island?: IslandId | undefined
  /** What it is built on; for a confirmation, what is measured again. */
  readonly parent: ParentRef
  readonly inspirations: readonly ParentRef[]
  /** It starts from the root and sees nothing of the search: part of the independent arm. */
  readonly independent?: true | undefined
  /** How many ledger lines its agent may see; undefined for seeds, which see no history. */
  readonly seen?: number | undefined
  /** The failed candidate to repair. */
  readonly repairs?: number | undefined
  /** Confirmations only. */
  readonly purpose?: ConfirmPurpose | undefined
  /** Confirmations only: embed the candidate again. */
  readonly describes?: true | undefined
  /** Duels only: the elite that it is interleaved with. */
  readonly rival?: ParentRef | undefined
  /** The process that may start it, where several drive a campaign. */
  readonly claimedBy?: string | undefined
  /** Its workflow run, once known. */
  readonly run?: number | undefined
  readonly result?: JobResult | undefined
}

export type JobResult =
  | {
      readonly status: 'measured'
      readonly commit: string
      readonly tree: string
      readonly metrics: Metrics
      /** Every run, in execution order. */
      readonly samples: readonly Sample[]
      readonly change: ChangeStats
      /** Only in campaigns with learned axes. */
      readonly embedding?: Embedding | undefined
      readonly card?: CommitCard | undefined
      readonly summary: string
      readonly isolation?: UsedIsolation | undefined
      readonly runner?: RunnerFacts | undefined
      readonly usage: Usage
    }
  | {
      readonly status: 'failed'
      readonly reason: FailureReason
      readonly detail: string
      readonly tree?: string | undefined
      readonly summary?: string | undefined
      readonly usage: Usage
    }
  /** The tree was evaluated before, so nothing ran. */
  | { readonly status: 'duplicate'; readonly tree: string; readonly summary: string; readonly usage: Usage }

/** A result with figures. */
export type MeasuredResult = Extract<JobResult, { status: 'measured' }>

/** A job that has its result. */
export type FinishedJob = Job & { readonly result: JobResult }
