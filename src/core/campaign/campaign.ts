import type { Archive } from '../archive/archive.ts'
import type { IslandId } from '../archive/islands.ts'
import type { Reserve, Usage } from '../budget/budget.ts'
import type { Noise } from '../measuring/noise.ts'
import type { Metrics, Value } from '../measuring/objective.ts'
import type { Space } from '../space/embedding.ts'
import type { LeftOut } from '../space/left-out.ts'
import type { Projection } from '../space/projection.ts'
import type { Control } from './control.ts'
import type { EngineConfig } from './engine-config.ts'
import type { Job, ParentRef } from './job.ts'
import type { LedgerEntry } from './ledger.ts'
import type { SameFailure } from './same-failure.ts'
import type { CampaignStatus, StopReason } from './status.ts'

/** What the root measured. */
export interface Baseline {
  readonly metrics: Metrics
  readonly value: Value
  /** Every run gave the same objective values. */
  readonly deterministic: boolean
  /** What its runs differ by; undefined where they do not. */
  readonly noise?: Noise | undefined
}

/** Identity and progress of a campaign: campaign.json. */
export interface Campaign {
  readonly id: string
  /** Tells it from an earlier one of the same name and root; only where runs outlive a campaign. */
  readonly nonce?: string | undefined
  /** Results are admitted in ordinal order (local: replayable) or as they arrive (GitHub: never waiting). */
  readonly order: 'ordinal' | 'arrival'
  readonly window: number
  readonly warmUp: number
  readonly epoch: number
  /** What measures in this epoch, as a digest: commands, the evaluator's files, lockfiles, objectives. */
  readonly evaluator: string
  /** What describes candidates, as a digest; undefined where no axis is learned. */
  readonly embedder?: string | undefined
  /** The label of the runners that measure, once one is known: figures of others are not compared with theirs. */
  readonly runnerLabel?: string | undefined
  /** Undefined in the space that the campaign began with. */
  readonly space?: Space | undefined
  /** Elites of the epoch before, best first, until each of them is to be measured in this one. */
  readonly renewing: readonly ParentRef[]
  /** Those of them whose new figures the archive does not have: an epoch that begins before measures them again. */
  readonly unplaced?: readonly ParentRef[] | undefined
  readonly root: { readonly commit: string; readonly tree: string; readonly seconds: number }
  readonly status: CampaignStatus
  /** Set once a stop is decided: nothing new is planned, what is in flight is still admitted. */
  readonly stopping?: StopReason | undefined
  readonly baseline?: Baseline | undefined
  /** In this epoch numbers count as varying, whatever the root's own runs say: the same files once gave others. */
  readonly varies?: true | undefined
  /** The ordinal that is planned next. */
  readonly nextOrdinal: number
  readonly finished: number
  readonly used: Usage
  /** The most that one candidate may cost: what the budget sets aside for each one in flight. */
  readonly reserved: Reserve
  readonly activeMs: number
  /** When the last tick was; a gap while no host was running does not count as active. */
  readonly lastTickAt?: string | undefined
  readonly search: SearchMemory
  readonly control: Control
}

/** What the search remembers besides the archive. Bounded: it is rewritten at every tick. */
export interface SearchMemory {
  /** How often each elite was a parent. */
  readonly children: Readonly<Record<string, number>>
  /** The latest choices of parent and inspirations, newest last. */
  readonly recipes: readonly string[]
  /** How many candidates had finished when the best last became better. */
  readonly improvedAt: number
  readonly sameFailure: SameFailure
  /** Candidates that failed after the guard had let them pass, newest last: what the operator repair draws from. */
  readonly repairable: readonly Repairable[]
  /** Files without a part in the learned axes: of the root, and changed ones, over all candidates. */
  readonly leftOut?: { readonly root: LeftOut; readonly changes: LeftOut } | undefined
}

/** A failed candidate, and what it was built on. Its files are not kept: they are made again from there. */
export interface Repairable {
  readonly ordinal: number
  readonly island?: IslandId | undefined
  readonly parent: ParentRef
}

/** A campaign as a tick sees it. It holds no history: only what a tick of any age needs. */
export interface CampaignState {
  readonly config: EngineConfig
  readonly campaign: Campaign
  readonly archive: Archive
  /** Where vectors lie on the learned axes. */
  readonly projection: Projection
  readonly jobs: ReadonlyMap<number, Job>
  /** The ledger's end: the lines of the shard that is being filled, and those this tick added. */
  readonly ledger: { readonly count: number; readonly tail: readonly LedgerEntry[] }
  /** Trees that were evaluated, by their first two digits; only the parts that this tick's results touch. */
  readonly trees: ReadonlyMap<string, ReadonlyMap<string, number>>
}
