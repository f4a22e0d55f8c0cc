import { mean, median, medianAbsoluteDeviation, standardDeviation } from 'simple-statistics'
import { blockSequence, pairUp, type Sample } from './measurement.ts'
import { compareValues, type Metrics, type Objective, readValue } from './objective.ts'
import { halfWidthAtEnd, type Reading, readPairs, type SamplingPlan } from './stats/sampling.ts'

/** How much the root differs from itself. */
export interface Noise {
  /** Of several objectives the one that this is about: the one whose gains are hardest to tell. */
  readonly metric?: string | undefined
  /** The robust spread of single runs, as a share of the objective's middle. */
  readonly spread: number
  /** The smallest gain that the campaign's pairs can tell from nothing, as a share. */
  readonly resolvable: number
  /** The root against itself, in pairs: an interval without 0 says that the runs are not alike (A/A test). */
  readonly selfTest: Reading
}

/** How a campaign measures, as far as its noise is concerned. */
export interface NoiseLimits {
  readonly smallestGain: number
  readonly sampling: SamplingPlan
}

/** Learns the noise from runs of the root alone. */
export function readNoise(runs: readonly Metrics[], objective: Objective, sampling: SamplingPlan): Noise {
  const spread = spreadOf(numbersOf(runs, objective))
  const split = runs.map((metrics, index): Sample => {
    // In the order that candidates are measured in.
    const subject = blockSequence(Math.floor(index / 4), 'root' as const)[index % 4] ?? 'root'
    return { subject, stage: 'full', metrics }
  })
  const selfTest = readPairs(pairUp(split, objective.metric, 'full').differences, sampling)
  // Two runs a pair, each as noisy.
  const resolvable = Math.min(halfWidthAtEnd(Math.SQRT2 * spread, sampling), Number.MAX_VALUE)
  return { spread, resolvable, selfTest }
}

// The median deviation, scaled to the standard deviation of normal noise. Where most runs agree it would be none, though
// some do not: then the mean one, scaled likewise.
function spreadOf(numbers: readonly number[]): number {
  if (numbers.every((number) => number === numbers[0])) return 0
  const middle = median([...numbers])
  if (middle === 0) return Number.MAX_VALUE
  const deviation = medianAbsoluteDeviation([...numbers])
  const spread =
    deviation > 0
      ? 1.4826 * deviation
      : Math.sqrt(Math.PI / 2) * mean(numbers.map((number) => Math.abs(number - middle)))
  return spread / Math.abs(middle)
}

function numbersOf(runs: readonly Metrics[], { metric }: Objective): number[] {
  return runs.map((metrics) => metrics[metric] ?? Number.NaN)
}

/** Whether the root came out equal to itself. */
export function isAlike({ selfTest: { low, high } }: Noise): boolean {
  return low <= 0 && high >= 0
}

/** Why numbers vary too much for a campaign, in words; undefined when they do not. */
export function explainNoise(
  noise: Noise | undefined,
  { smallestGain, sampling }: NoiseLimits,
): string | undefined {
  if (noise === undefined || noise.resolvable <= smallestGain) return undefined
  const percent = (share: number): string => `${(100 * Math.min(share, 100)).toPrecision(2)} %`
  const where = noise.metric === undefined ? '' : ` in ${noise.metric}`
  return `runs of the root differ by ${percent(noise.spread)}${where}: with ${sampling.maxPairs} pairs no gain below ${percent(noise.resolvable)} can be told from chance, and evaluation.sampling.smallest_gain asks for ${percent(smallestGain)}`
}

/** What a maintainer wants to know of an evaluator before a campaign is begun. */
export interface NoiseReport {
  /** How often the root was measured. */
  readonly runs: number
  readonly deterministic: boolean
  /** The coefficient of variation of the objective that is hardest to tell: standard deviation ∕ mean. */
  readonly variation: number
  /** Undefined where nothing varies. */
  readonly noise?: Noise | undefined
  readonly smallestGain: number
  readonly confidence: number
  readonly maxPairs: number
  /** Why a campaign would pause before anything is spent; undefined when it would not. */
  readonly tooNoisy?: string | undefined
}

/** Reports on the runs of the root; undefined when one of them has no value to compare. */
export function reportNoise(
  runs: readonly Metrics[],
  objectives: readonly Objective[],
  limits: NoiseLimits,
): NoiseReport | undefined {
  const readable = runs.length > 0 && runs.every((run) => readValue(run, objectives).status === 'valid')
  if (objectives.length === 0 || !readable) return undefined
  // A single run is equal to itself, which says nothing.
  const isAlone = runs.length === 1
  const deterministic = !isAlone && areEqual(runs, objectives)
  const worst = deterministic || isAlone ? undefined : findWorst(runs, objectives, limits.sampling)
  const { smallestGain, sampling } = limits
  return {
    runs: runs.length,
    deterministic,
    variation: worst === undefined ? 0 : variationOf(numbersOf(runs, worst.objective)),
    noise: worst?.noise,
    smallestGain,
    confidence: sampling.confidence,
    maxPairs: sampling.maxPairs,
    tooNoisy: explainNoise(worst?.noise, limits),
  }
}

// A campaign's figures are as good as those of its worst objective. Of equals the first counts.
function findWorst(runs: readonly Metrics[], objectives: readonly Objective[], sampling: SamplingPlan) {
  const read = objectives.map((objective) => ({ objective, noise: readNoise(runs, objective, sampling) }))
  const [worst] = read.toSorted((a, b) => b.noise.resolvable - a.noise.resolvable)
  if (worst === undefined || objectives.length === 1) return worst
  return { ...worst, noise: { metric: worst.objective.metric, ...worst.noise } }
}

function variationOf(numbers: readonly number[]): number {
  const middle = Math.abs(mean([...numbers]))
  return middle === 0 ? Number.MAX_VALUE : standardDeviation([...numbers]) / middle
}

/** Whether all runs gave the same values. */
export function areEqual(runs: readonly Metrics[], objectives: readonly Objective[]): boolean {
  const values = runs.map((run) => readValue(run, objectives))
  const [first] = values
  return values.every(
    (read) =>
      read.status === 'valid' &&
      first?.status === 'valid' &&
      compareValues(read.value, first.value, objectives) === 0,
  )
}
