import type { Elite } from '../archive/archive.ts'
import type { CampaignState } from '../campaign/campaign.ts'
import type { Job } from '../campaign/job.ts'
import { isOwn } from './confirm.ts'
import type { Objective } from './objective.ts'
import type { SamplingPlan } from './stats/sampling.ts'

/** How a job is measured. */
export type MeasurementPlan =
  /** The root, again and again, to learn whether and how much its numbers vary. */
  | {
      readonly kind: 'baseline'
      readonly runs: number
      readonly noisyRuns: number
      /** Once each, what only candidates meet as well: the quick command and the held-out one. */
      readonly rehearses?: true
    }
  /** The evaluator gives the same number each time: one run says all. */
  | { readonly kind: 'once'; readonly heldOut: HeldOutPairs }
  /** In turns with the other, until it stands out from `bar` (a difference, more is better) or cannot. */
  | {
      readonly kind: 'paired'
      readonly against: 'root' | 'rival'
      readonly sampling: SamplingPlan
      readonly bar: number
      readonly heldOut: HeldOutPairs
    }

/** How often root and candidate are run on what was held out. */
interface HeldOutPairs {
  readonly least: number
  /** Where either gives another number than the last time: one pair of such numbers would say nothing. */
  readonly most: number
}

const NOT_HELD_OUT: HeldOutPairs = { least: 0, most: 0 }

type Facts = Pick<CampaignState, 'archive'> & {
  readonly campaign: Pick<CampaignState['campaign'], 'baseline' | 'varies'>
  readonly config: {
    readonly objectives: readonly Objective[]
    readonly evaluation: { readonly sampling: SamplingPlan; readonly baselineRuns: number }
  }
}

/** Plans the root's runs: a few, and where those differ, or are known to, enough of them to say by how much. */
function planBaseline(
  { baselineRuns, sampling }: Facts['config']['evaluation'],
  varies?: true,
): MeasurementPlan & { readonly kind: 'baseline' } {
  const noisyRuns = Math.max(baselineRuns, 2 * sampling.minPairs)
  return { kind: 'baseline', runs: varies ? noisyRuns : baselineRuns, noisyRuns }
}

// That the shown inputs always give the same numbers does not mean that others do.
const SAME_TWICE = 2

/** Plans what a maintainer wants to know of an evaluator: all that a campaign will ever ask of it. */
export function planRehearsal(evaluation: Facts['config']['evaluation']): MeasurementPlan {
  return { ...planBaseline(evaluation), rehearses: true }
}

/** Plans a job's runs from what the state knows. Confirmations always take all pairs: nothing hangs on their haste. */
export function planMeasurement({ campaign, config, archive }: Facts, job: Job): MeasurementPlan {
  const { sampling } = config.evaluation
  const { baseline } = campaign
  if (job.kind === 'baseline' || baseline === undefined)
    return planBaseline(config.evaluation, campaign.varies)
  const isConfirmed = job.kind === 'confirm' && isOwn(job)
  const { maxPairs: most } = sampling
  const heldOut = isConfirmed ? { least: baseline.deterministic ? SAME_TWICE : most, most } : NOT_HELD_OUT
  if (baseline.deterministic) return { kind: 'once', heldOut }
  const paired = { kind: 'paired', heldOut, sampling } as const
  if (job.rival !== undefined) return { ...paired, against: 'rival', bar: 0 }
  if (job.kind === 'confirm')
    return { ...paired, against: 'root', bar: 0, sampling: { ...sampling, minPairs: sampling.maxPairs } }
  const parent = archive.members().find(({ elite }) => elite.ordinal === job.parent.ordinal)?.elite
  const bar = barOf(parent, baseline.value[0], config.objectives[0])
  return { ...paired, against: 'root', bar }
}

// A child is meant to beat what its parent surely has; luck of the parent's must not make it give up. A parent that
// has lost its cell, or is not surely better than the root, sets no bar.
function barOf(parent: Elite | undefined, root = Number.NaN, objective?: Objective): number {
  const maximize = objective?.direction === 'maximize'
  const sure = (maximize ? parent?.interval?.low : parent?.interval?.high) ?? parent?.value
  const [value = Number.NaN] = sure ?? []
  const difference = value > 0 && root > 0 ? Math.log(value / root) : value - root
  const gain = maximize ? difference : -difference
  return gain > 0 ? gain : 0
}

/** The limit of the job that measures in our workflow templates, less what checkouts and set-up may take. */
const JOB_MINUTES = 55

/** What tells how long the longest measurement of a campaign takes. */
export interface ConfirmationFacts {
  /** How long one run of the command takes. */
  readonly runMs: number
  readonly maxPairs: number
  readonly hasHeldOut: boolean
}

/** Why a confirmation may be cut off, in words; undefined when it fits. It takes all pairs, of two runs each. */
export function explainLongConfirmation({
  runMs,
  maxPairs,
  hasHeldOut,
}: ConfirmationFacts): string | undefined {
  const runs = 2 * maxPairs * (hasHeldOut ? 2 : 1)
  const minutes = Math.ceil((runs * runMs) / 60_000)
  if (minutes <= JOB_MINUTES) return undefined
  return `a confirmation takes ${runs} runs, about ${minutes} minutes, and the workflow's template ends the job after 60: raise timeout-minutes of evaluate in the workflow, or lower evaluation.sampling.max_pairs`
}
