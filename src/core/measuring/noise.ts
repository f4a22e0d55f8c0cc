import { mean, median, medianAbsoluteDeviation, standardDeviation } from 'simple-statistics'
import { pairUp, type Sample } from './measurement.ts'
import { compareValues, type Metrics, type Objective, readValue } from './objective.ts'
import { looksOf, type Reading, readPairs, type SamplingPlan } from './stats/sampling.ts'

/** How much the root's runs differ. */
export interface Noise {
  /** With several objectives: the noisiest one, which these figures describe. */
  readonly metric?: string | undefined
  /** The robust spread of single runs, relative to the median. */
  readonly spread: number
  /** The smallest relative gain that the campaign's pairs can detect. */
  readonly resolvable: number
  /** A/A test: the root against itself. An interval without 0 means that the runs are not comparable. */
  readonly selfTest: Reading
}

/** The config that noise is judged by. */
export interface NoiseLimits {
  readonly smallestGain: number
  readonly sampling: SamplingPlan
}

// Steady drift cancels in each block of four.
const SPLIT = ['root', 'candidate', 'candidate', 'root'] as const

/** Estimates the noise from runs of the root. */
export function readNoise(runs: readonly Metrics[], objective: Objective, sampling: SamplingPlan): Noise {
  const numbers = numbersOf(runs, objective)
  const split = runs.map((metrics, index): Sample => {
    return { subject: SPLIT[index % SPLIT.length] ?? 'root', stage: 'full', metrics }
  })
  const selfTest = readPairs(pairUp(split, objective.metric, 'full').differences, sampling)
  const resolvable = Math.min(halfWidthAtEnd(numbers, sampling), Number.MAX_VALUE)
  return { spread: spreadOf(numbers), resolvable, selfTest }
}

/**
 * How far the interval of a verdict reaches at the end of the plan if candidate and root are the same. It is the verdict's
 * own interval, over differences as the root's runs show them: every run against every other, thinned out evenly to as many
 * as the plan has pairs. Outliers keep their share.
 */
function halfWidthAtEnd(numbers: readonly number[], sampling: SamplingPlan): number {
  if (numbers.every((number) => number === numbers[0])) return 0
  const middle = Math.abs(median([...numbers]))
  const isRatio = numbers.every((number) => number > 0)
  const all = numbers
    .flatMap((a, at) =>
      numbers.flatMap((b, other) => (at === other ? [] : isRatio ? Math.log(a / b) : (a - b) / middle)),
    )
    .sort((a, b) => a - b)
  const pairs = looksOf(sampling).at(-1) ?? 1
  const typical = Array.from(
    { length: pairs },
    (_, index) => all[Math.floor(((index + 0.5) * all.length) / pairs)] ?? 0,
  )
  const { low, high } = readPairs(typical, sampling)
  const width = Math.max(-low, high)
  return isRatio ? Math.expm1(width) : width
}

// The median absolute deviation, scaled to the standard deviation of normal noise. If most runs agree it is 0; then the
// mean absolute deviation, scaled likewise.
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

/** Whether the root passes the A/A test. */
export function isAlike({ selfTest: { low, high } }: Noise): boolean {
  return low <= 0 && high >= 0
}

/** Explains why the evaluator is too noisy for the campaign; undefined if it is not. */
export function explainNoise(
  noise: Noise | undefined,
  { smallestGain, sampling }: NoiseLimits,
): string | undefined {
  if (noise === undefined || noise.resolvable <= smallestGain) return undefined
  const percent = (share: number): string => `${(100 * Math.min(share, 100)).toPrecision(2)} %`
  const where = noise.metric === undefined ? '' : ` in ${noise.metric}`
  return `runs of the root differ by ${percent(noise.spread)}${where}. With ${sampling.maxPairs} pairs, no gain below ${percent(noise.resolvable)} can be distinguished from chance, but evaluation.sampling.smallest_gain is ${percent(smallestGain)}`
}

/** What a maintainer should know about an evaluator before starting a campaign. */
export interface NoiseReport {
  /** How many times the root was measured. */
  readonly runs: number
  readonly deterministic: boolean
  /** The coefficient of variation of the noisiest objective: standard deviation ∕ mean. */
  readonly variation: number
  /** Undefined if all runs agree. */
  readonly noise?: Noise | undefined
  readonly smallestGain: number
  readonly confidence: number
  readonly maxPairs: number
  /** Why a campaign would pause before it spends anything; undefined if it would not. */
  readonly tooNoisy?: string | undefined
}

/** Reports the noise of the root's runs; undefined if a run has no valid value. */
export function reportNoise(
  runs: readonly Metrics[],
  objectives: readonly Objective[],
  limits: NoiseLimits,
): NoiseReport | undefined {
  const readable = runs.length > 0 && runs.every((run) => readValue(run, objectives).status === 'valid')
  if (objectives.length === 0 || !readable) return undefined
  // A single run says nothing about noise.
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

// The noisiest objective limits the campaign. Ties go to the first.
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
