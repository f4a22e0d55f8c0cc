import type { Estimate } from '../archive/comparison.ts'
import type { CampaignState, SearchMemory } from '../campaign/campaign.ts'
import type { Job } from '../campaign/job.ts'
import { rngFor } from '../rng.ts'
import { isOwn } from './confirm.ts'
import type { Sample } from './measurement.ts'
import type { Objective } from './objective.ts'
import { looksOf, type SamplingPlan } from './stats/sampling.ts'
import { drawTurns, type Turn } from './stats/turns.ts'

/** How a job is measured. */
export type MeasurementPlan =
  /** Repeated runs of the root, to estimate the noise. */
  | {
      readonly kind: 'baseline'
      readonly runs: number
      readonly noisyRuns: number
      /** Also run the quick and the held-out command once each, as candidates would. */
      readonly rehearses?: true
    }
  /** A deterministic evaluator: one run is enough. */
  | { readonly kind: 'once'; readonly heldOut: HeldOutPairs }
  /** Interleaved with the root or a rival, until the gain exceeds `bar` beyond the noise or no longer can. */
  | {
      readonly kind: 'paired'
      readonly against: 'root' | 'rival'
      readonly sampling: SamplingPlan
      /** The runs up to each look. */
      readonly turns: readonly (readonly Turn<Sample['subject']>[])[]
      readonly bar: number
      readonly heldOut: HeldOutPairs
    }

/** How many pairs run on held-out inputs. */
interface HeldOutPairs {
  readonly least: number
  /** The number of pairs if either subject is noisy on them. */
  readonly most: number
}

const NOT_HELD_OUT: HeldOutPairs = { least: 0, most: 0 }

type Facts = Pick<CampaignState, 'archive'> & {
  readonly campaign: Pick<CampaignState['campaign'], 'baseline' | 'varies'> & {
    readonly search?: Pick<SearchMemory, 'breeding'>
  }
  readonly config: {
    readonly objectives: readonly Objective[]
    readonly evaluation: { readonly sampling: SamplingPlan; readonly baselineRuns: number }
    readonly search: { readonly seed: number }
  }
}

/** Plans the root's runs: a few, and more if they differ or are known to. */
function planBaseline(
  { baselineRuns, sampling }: Facts['config']['evaluation'],
  varies?: true,
): MeasurementPlan & { readonly kind: 'baseline' } {
  const noisyRuns = Math.max(baselineRuns, 2 * sampling.minPairs)
  return { kind: 'baseline', runs: varies ? noisyRuns : baselineRuns, noisyRuns }
}

// A deterministic evaluator may still be noisy on held-out inputs.
const SAME_TWICE = 2

/** Plans a trial of everything that a campaign asks of an evaluator. */
export function planRehearsal(evaluation: Facts['config']['evaluation']): MeasurementPlan {
  return { ...planBaseline(evaluation), rehearses: true }
}

/** Plans a job's runs. Confirmations always use all pairs. */
export function planMeasurement({ campaign, config, archive }: Facts, job: Job): MeasurementPlan {
  const { sampling } = config.evaluation
  const { baseline } = campaign
  if (job.kind === 'baseline' || baseline === undefined)
    return planBaseline(config.evaluation, campaign.varies)
  const isConfirmed = job.kind === 'confirm' && isOwn(job)
  const { maxPairs: most } = sampling
  const heldOut = isConfirmed ? { least: baseline.deterministic ? SAME_TWICE : most, most } : NOT_HELD_OUT
  if (baseline.deterministic) return { kind: 'once', heldOut }
  const rng = rngFor(config.search.seed, job.ordinal, 'turns')
  const paired = (against: 'root' | 'rival', plan: SamplingPlan) => {
    const looks = looksOf(plan)
    const parts = looks.map((look, index) => look - (looks[index - 1] ?? 0))
    const turns = drawTurns<Sample['subject']>(parts, [against, 'candidate'], rng)
    return { kind: 'paired', against, sampling: plan, turns, heldOut } as const
  }
  if (job.rival !== undefined) return { ...paired('rival', sampling), bar: 0 }
  if (job.kind === 'confirm')
    return { ...paired('root', { ...sampling, minPairs: sampling.maxPairs }), bar: 0 }
  const { ordinal } = job.parent
  const elite = archive.members().find((member) => member.elite.ordinal === ordinal)?.elite
  const parent = elite ?? campaign.search?.breeding?.pool.find((breeder) => breeder.ordinal === ordinal)
  const bar = barOf(parent, baseline.value[0], config.objectives[0])
  return { ...paired('root', sampling), bar }
}

// A child must beat the certain part of its parent's gain; the parent's luck must not make it give up early. A parent
// without a certain gain over the root sets no bar.
function barOf(parent: Estimate | undefined, root = Number.NaN, objective?: Objective): number {
  const maximize = objective?.direction === 'maximize'
  const sure = (maximize ? parent?.interval?.low : parent?.interval?.high) ?? parent?.value
  const [value = Number.NaN] = sure ?? []
  const difference = value > 0 && root > 0 ? Math.log(value / root) : value - root
  const gain = maximize ? difference : -difference
  return gain > 0 ? gain : 0
}

/** The time limit of the measuring job in our workflow templates, minus checkout and set-up. */
const JOB_MINUTES = 55

/** What determines the duration of a campaign's longest measurement. */
export interface ConfirmationFacts {
  /** The duration of one run. */
  readonly runMs: number
  readonly maxPairs: number
  readonly hasHeldOut: boolean
}

/** Explains why a confirmation may be cut off; undefined if it fits. It uses all pairs, of two runs each, and a lead. */
export function explainLongConfirmation({
  runMs,
  maxPairs,
  hasHeldOut,
}: ConfirmationFacts): string | undefined {
  const runs = 1 + 2 * maxPairs * (hasHeldOut ? 2 : 1)
  const minutes = Math.ceil((runs * runMs) / 60_000)
  if (minutes <= JOB_MINUTES) return undefined
  return `a confirmation takes ${runs} runs, about ${minutes} minutes, but the workflow template ends the job after 60. Raise timeout-minutes of the job evaluate in the workflow, or lower evaluation.sampling.max_pairs`
}
