import type { ArchiveKind } from '../archive/cells.ts'
import type { Limits } from '../budget/budget.ts'
import type { Objective } from '../measuring/objective.ts'
import type { SamplingPlan } from '../measuring/stats/sampling.ts'
import type { Lens, OperatorWeights } from '../planning/operators.ts'
import type { Axis, DescriptorMode } from '../space/descriptor.ts'
export const POLICIES = ['adaptive', 'qd', 'champion', 'independent'] as const
export type Policy = (typeof POLICIES)[number]

/** How candidates are planned and placed. */
export interface SearchConfig {
  readonly policy: Policy
  readonly seed: number
  readonly window: number
  readonly archive: ArchiveKind
  /** Undefined: derived from the campaign's initial budget. */
  readonly cells?: number | undefined
  /** Undefined: derived from the budget, too. */
  readonly warmUp?: number | undefined
  /** The most elites a cell may hold with several objectives. */
  readonly front: number
  readonly islands: number
  /** One in this many candidates of an island gets an inspiration from the neighbouring island. */
  readonly migrateEvery: number
  readonly inspirations: number
  readonly operators: OperatorWeights
  /** The share of the budget that starts from the root and sees nothing: what the search has to beat. */
  readonly independentShare: number
  readonly lenses: readonly Lens[]
  readonly plateau?: number | undefined
  /** What the learned axes are learned from. */
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
    /** The relative gain that must be distinguishable from noise. */
    readonly smallestGain: number
    readonly heldOut?: object | undefined
  }
}
