import type { ArchiveKind } from '../archive/cells.ts'
import type { Limits } from '../budget/budget.ts'
import type { Objective } from '../measuring/objective.ts'
import type { SamplingPlan } from '../measuring/stats/sampling.ts'
import type { Lens, OperatorWeights } from '../planning/operators.ts'
import type { Axis, DescriptorMode } from '../space/descriptor.ts'
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
