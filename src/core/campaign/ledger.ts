import type { IslandId } from '../archive/islands.ts'
import type { Usage } from '../budget/budget.ts'
import type { CommitCard } from '../candidate/commit-card.ts'
import type { HeldOut } from '../measuring/held-out.ts'
import type { Runs, ValueInterval } from '../measuring/measurement.ts'
import type { Metrics } from '../measuring/objective.ts'
import type { RunnerFacts, UsedIsolation } from '../measuring/provenance.ts'
import type { Verdict } from '../measuring/verdict.ts'
import type { Operator } from '../planning/operators.ts'
import type { ChangeStats } from '../space/descriptor.ts'
import type { Embedding } from '../space/embedding.ts'
import type { JobKind } from './job.ts'
/** A finished candidate: one line of the ledger. The archive is a function of the config and these lines. */
export interface LedgerEntry {
  readonly ordinal: number
  readonly attempt: number
  readonly kind: JobKind
  /** The epoch of its measurement; undefined in the first. */
  readonly epoch?: number | undefined
  readonly operator: Operator
  readonly lens?: string | undefined
  readonly island?: IslandId | undefined
  readonly parent: number
  /** Part of the independent arm. */
  readonly independent?: true | undefined
  readonly inspirations: readonly number[]
  readonly verdict: Verdict
  readonly summary?: string | undefined
  readonly tree?: string | undefined
  readonly commit?: string | undefined
  readonly metrics?: Metrics | undefined
  readonly interval?: ValueInterval | undefined
  /** The objective values of every run at every stage, if there was more than one run. */
  readonly runs?: Runs | undefined
  /** Confirmations only, if there are held-out inputs. */
  readonly heldOut?: HeldOut | undefined
  readonly change?: ChangeStats | undefined
  /** Stored separately, in vectors/NNN.jsonl. */
  readonly embedding?: Embedding | undefined
  readonly card?: CommitCard | undefined
  readonly isolation?: UsedIsolation | undefined
  readonly runner?: RunnerFacts | undefined
  /** Its workflow run, if any. */
  readonly run?: number | undefined
  readonly usage: Usage
}
