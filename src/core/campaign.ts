import type { Archive } from './archive.ts'
import type { Limits, Reserve, Usage } from './budget.ts'
import type { ArchiveKind } from './cells.ts'
import type { CommitCard } from './commit-card.ts'
import type { Control, ParentRef } from './control.ts'
import type { Axis, ChangeStats, DescriptorMode } from './descriptor.ts'
import type { Embedding, Space } from './embedding.ts'
import type { HeldOut } from './held-out.ts'
import type { IslandId } from './islands.ts'
import type { UsedIsolation } from './isolation.ts'
import type { ConfirmPurpose, JobKind } from './job-kinds.ts'
import type { LeftOut } from './left-out.ts'
import type { Runs, Sample, ValueInterval } from './measurement.ts'
import type { Noise } from './noise.ts'
import type { Metrics, Objective, Value } from './objective.ts'
import type { Lens, Operator, OperatorWeights } from './operators.ts'
import type { RunnerFacts } from './runner-facts.ts'
import type { SameFailure } from './same-failure.ts'
import type { Projection } from './space/projection.ts'
import type { SamplingPlan } from './stats/sampling.ts'
import type { CampaignStatus, StopReason } from './status.ts'
import type { FailureReason, Verdict } from './verdict.ts'

export const POLICIES = ['qd', 'champion', 'independent'] as const
export type Policy = (typeof POLICIES)[number]

/** How candidates are planned and placed. */
export interface SearchConfig {
  readonly policy: Policy
  readonly seed: number
  readonly window: number
  readonly archive: ArchiveKind
  /** Undefined: follows the budget that the campaign begins with. */
  readonly cells?: number | undefined
  /** Undefined: follows the budget too. */
  readonly warmUp?: number | undefined
  /** How many elites a cell may hold where there are several objectives. */
  readonly front: number
  readonly islands: number
  /** Every so many candidates of an island, one inspiration comes from its neighbour. */
  readonly migrateEvery: number
  readonly inspirations: number
  readonly operators: OperatorWeights
  readonly lenses: readonly Lens[]
  readonly plateau?: number | undefined
  /** What the learned axes, if there are any, are learned from. */
  readonly descriptor: DescriptorMode
  readonly axes: readonly Axis[]
}

/** The part of a campaign's config that the engine reads. */
export interface EngineConfig {
  readonly objectives: readonly Objective[]
  readonly search: SearchConfig
  readonly limits: Limits
  readonly evaluation: {
    readonly sampling: SamplingPlan
    /** The gain, as a share, that must stand out from the noise. */
    readonly smallestGain: number
    readonly heldOut?: object | undefined
  }
}

export type { ParentRef } from './control.ts'
export type { CampaignEvent, Effect } from './events.ts'
export type { CampaignStatus, PauseReason, StopReason } from './status.ts'

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
