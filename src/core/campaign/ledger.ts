import type { IslandId } from '../archive/islands.ts'
import type { Usage } from '../budget/budget.ts'
import type { CommitCard } from '../candidate/commit-card.ts'
import type { JobKind } from '../candidate/job-kinds.ts'
import type { HeldOut } from '../measuring/held-out.ts'
import type { UsedIsolation } from '../measuring/isolation.ts'
import type { Runs, ValueInterval } from '../measuring/measurement.ts'
import type { Metrics } from '../measuring/objective.ts'
import type { RunnerFacts } from '../measuring/runner-facts.ts'
import type { Verdict } from '../measuring/verdict.ts'
import type { Operator } from '../planning/operators.ts'
import type { ChangeStats } from '../space/descriptor.ts'
import type { Embedding } from '../space/embedding.ts'
/** One finished candidate: a line of the ledger. The archive is a function of the config and these lines. */
export interface LedgerEntry {
  readonly ordinal: number
  readonly attempt: number
  readonly kind: JobKind
  /** In which epoch it was measured; undefined in the first. */
  readonly epoch?: number | undefined
  readonly operator: Operator
  readonly lens?: string | undefined
  readonly island?: IslandId | undefined
  readonly parent: number
  readonly inspirations: readonly number[]
  readonly verdict: Verdict
  readonly summary?: string | undefined
  readonly tree?: string | undefined
  readonly commit?: string | undefined
  readonly metrics?: Metrics | undefined
  readonly interval?: ValueInterval | undefined
  /** The objectives' numbers of every run at every stage, when there was more than one. */
  readonly runs?: Runs | undefined
  /** Of a confirmation, where there are inputs that no agent has seen. */
  readonly heldOut?: HeldOut | undefined
  readonly change?: ChangeStats | undefined
  /** Kept apart from the ledger's lines, in vectors/NNN.jsonl. */
  readonly embedding?: Embedding | undefined
  readonly card?: CommitCard | undefined
  readonly isolation?: UsedIsolation | undefined
  readonly runner?: RunnerFacts | undefined
  /** The workflow run that it came from, where there are any. */
  readonly run?: number | undefined
  readonly usage: Usage
}
