import type { Archive } from '../archive/archive.ts'
import type { IslandId } from '../archive/islands.ts'
import type { Reserve, Usage } from '../budget/budget.ts'
import type { Noise } from '../measuring/noise.ts'
import type { Metrics, Value } from '../measuring/objective.ts'
import type { Breeding } from '../planning/breeding.ts'
import type { IndependentArm } from '../planning/independent-arm.ts'
import type { Space } from '../space/embedding.ts'
import type { LeftOut } from '../space/left-out.ts'
import type { Projection } from '../space/projection.ts'
import type { Control } from './control.ts'
import type { EngineConfig } from './engine-config.ts'
import type { Job, ParentRef } from './job.ts'
import type { LedgerEntry } from './ledger.ts'
import type { SameFailure } from './same-failure.ts'
import type { CampaignStatus, StopReason } from './status.ts'

/** The root's measurement. */
export interface Baseline {
  readonly metrics: Metrics
  readonly value: Value
  /** Every run gave the same objective values. */
  readonly deterministic: boolean
  /** How much its runs differ; undefined if they do not. */
  readonly noise?: Noise | undefined
}

/** Identity and progress of a campaign (campaign.json). */
export interface Campaign {
  readonly id: string
  /** Distinguishes it from an earlier campaign with the same name and root, whose runs may still be alive. */
  readonly nonce?: string | undefined
  /** Results are admitted in ordinal order (local, replayable) or as they arrive (GitHub, never waiting). */
  readonly order: 'ordinal' | 'arrival'
  readonly window: number
  readonly warmUp: number
  readonly epoch: number
  /** Digest of what measures in this epoch: commands, the evaluator's files, lockfiles, objectives. */
  readonly evaluator: string
  /** Digest of the embedder; undefined if no axis is learned. */
  readonly embedder?: string | undefined
  /** The label of the measuring runners, once known. Figures from other labels are not comparable. */
  readonly runnerLabel?: string | undefined
  /** Undefined until the campaign changes its embedder. */
  readonly space?: Space | undefined
  /** Elites of the previous epoch, best first, that still need a measurement planned in this one. */
  readonly renewing: readonly ParentRef[]
  /** Elites whose new figures are not in the archive yet. If another epoch begins first, they are measured again. */
  readonly unplaced?: readonly ParentRef[] | undefined
  readonly root: { readonly commit: string; readonly tree: string; readonly seconds: number }
  readonly status: CampaignStatus
  /** Set once a stop is decided: nothing new is planned, but results in flight are still admitted. */
  readonly stopping?: StopReason | undefined
  readonly baseline?: Baseline | undefined
  /** Treat the evaluator as noisy in this epoch, even if the root's runs agree: the same files gave different numbers before. */
  readonly varies?: true | undefined
  /** The next ordinal to plan. */
  readonly nextOrdinal: number
  readonly finished: number
  readonly used: Usage
  /** The most that one candidate may cost: the budget reserves this for each one in flight. */
  readonly reserved: Reserve
  readonly activeMs: number
  /** Time of the last tick. Time without a running host does not count as active. */
  readonly lastTickAt?: string | undefined
  readonly search: SearchMemory
  readonly control: Control
}

/** What the search remembers besides the archive. Bounded, because every tick rewrites it. */
export interface SearchMemory {
  /** How often each elite was a parent. */
  readonly children: Readonly<Record<string, number>>
  /** Recent choices of parent and inspirations, newest last. */
  readonly recipes: readonly string[]
  /** How many candidates had finished when the best last improved. */
  readonly improvedAt: number
  readonly sameFailure: SameFailure
  /** Candidates that passed the guard and then failed, newest last: the pool of the operator `repair`. */
  readonly repairable: readonly Repairable[]
  /** Only with the policy `adaptive`. */
  readonly breeding?: Breeding | undefined
  /** What candidates from the root alone reached in this epoch. */
  readonly arm?: IndependentArm | undefined
  /** Files excluded from the learned axes: in the root, and among all candidates' changes. */
  readonly leftOut?: { readonly root: LeftOut; readonly changes: LeftOut } | undefined
}

/** A failed candidate and its parent. Its files are not kept; a repair starts from the parent. */
export interface Repairable {
  readonly ordinal: number
  readonly island?: IslandId | undefined
  readonly parent: ParentRef
}

/** A campaign as a tick sees it. It holds no history, so a tick costs the same at any age. */
export interface CampaignState {
  readonly config: EngineConfig
  readonly campaign: Campaign
  readonly archive: Archive
  /** Maps vectors to the learned axes. */
  readonly projection: Projection
  readonly jobs: ReadonlyMap<number, Job>
  /** The end of the ledger: the lines of the current shard and those this tick added. */
  readonly ledger: { readonly count: number; readonly tail: readonly LedgerEntry[] }
  /** Evaluated trees by their first two digits; only the parts that this tick's results touch. */
  readonly trees: ReadonlyMap<string, ReadonlyMap<string, number>>
}
