import type { IslandId } from '../archive/islands.ts'
import type { Usage } from '../budget/budget.ts'
import type { CommitCard } from '../candidate/commit-card.ts'
import type { ConfirmPurpose, JobKind } from '../candidate/job-kinds.ts'
import type { UsedIsolation } from '../measuring/isolation.ts'
import type { Sample } from '../measuring/measurement.ts'
import type { Metrics } from '../measuring/objective.ts'
import type { RunnerFacts } from '../measuring/runner-facts.ts'
import type { FailureReason } from '../measuring/verdict.ts'
import type { Operator } from '../planning/operators.ts'
import type { ChangeStats } from '../space/descriptor.ts'
import type { Embedding } from '../space/embedding.ts'
/** A commit that candidates are built on or draw from. */
export interface ParentRef {
  readonly ordinal: number
  readonly commit: string
  readonly tree: string
}

/** One open candidate, or a finished one that waits for its turn: jobs/<ordinal>.json. */
export interface Job {
  readonly ordinal: number
  readonly attempt: number
  readonly kind: JobKind
  readonly operator: Operator
  /** The name of one of `search.lenses`. */
  readonly lens?: string | undefined
  /** Whose archive it is bred from and may enter; undefined where there is but one, and for what is no candidate. */
  readonly island?: IslandId | undefined
  /** What it is built on; of a confirmation, what is measured again. */
  readonly parent: ParentRef
  readonly inspirations: readonly ParentRef[]
  /** How many lines of the ledger its agent may be told about; undefined for seeds, from whom history is hidden. */
  readonly seen?: number | undefined
  /** The failed candidate that is to be repaired. */
  readonly repairs?: number | undefined
  /** Of a confirmation. */
  readonly purpose?: ConfirmPurpose | undefined
  /** Of a confirmation: the candidate is described once more, too. */
  readonly describes?: true | undefined
  /** Of a duel: the elite that it is measured in turns with. */
  readonly rival?: ParentRef | undefined
  /** The workflow run that works on it, once it is known. */
  readonly run?: number | undefined
  readonly result?: JobResult | undefined
}

export type JobResult =
  | {
      readonly status: 'measured'
      readonly commit: string
      readonly tree: string
      readonly metrics: Metrics
      /** Every run in the order they ran. */
      readonly samples: readonly Sample[]
      readonly change: ChangeStats
      /** Of campaigns with learned axes. */
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
  /** The tree was evaluated before: nothing was run. */
  | { readonly status: 'duplicate'; readonly tree: string; readonly summary: string; readonly usage: Usage }

/** A result with figures. */
export type MeasuredResult = Extract<JobResult, { status: 'measured' }>

/** A job that has its result. */
export type FinishedJob = Job & { readonly result: JobResult }
