import { median, medianAbsoluteDeviation } from 'simple-statistics'
import type { Metrics, Objective, Value } from './objective.ts'
import { type Reading, readPairs, type SamplingPlan } from './stats/sampling.ts'

export const SUBJECTS = ['candidate', 'root', 'rival'] as const
export const STAGES = ['quick', 'full', 'held-out'] as const
export type Stage = (typeof STAGES)[number]

/** One run of the measuring command: whose files it saw, at which stage, and what it printed. */
export interface Sample {
  readonly subject: (typeof SUBJECTS)[number]
  readonly stage: Stage
  readonly metrics: Metrics
}

/** Between what a value truly lies, objective by objective, at the campaign's confidence. */
export interface ValueInterval {
  readonly low: Value
  readonly high: Value
}

/** What runs say about a candidate: one number a metric and, where runs differ, how far they can be trusted. */
export interface Summary {
  readonly metrics: Metrics
  readonly interval?: ValueInterval | undefined
}

/** The root's own figures, to which ratios are turned back into the metric's unit. */
export interface Reference {
  readonly metrics: Metrics
  readonly deterministic: boolean
}

/**
 * Sums up a candidate's runs. Measured in turns with the root, an objective's number is the root's known figure
 * times the ratio that the pairs show: what a slow machine does to both falls out, and numbers from different
 * runners and days can be compared. Without pairs (the evaluator is deterministic) it is the number itself.
 */
export function summarise(
  samples: readonly Sample[],
  objectives: readonly Objective[],
  { reference, sampling }: { reference: Reference | undefined; sampling: SamplingPlan },
): Summary {
  const runs = samples.filter(({ stage }) => stage === 'full')
  const metrics = medianMetrics(runs.filter(isCandidate).map((run) => run.metrics))
  if (reference === undefined || reference.deterministic || !runs.some(({ subject }) => subject === 'root'))
    return { metrics }
  const readings = objectives.map(({ metric }) => {
    const pairs = pairUp(runs, metric, 'full')
    const base = reference.metrics[metric] ?? Number.NaN
    const { estimate, low, high } = readPairs(pairs.differences, sampling)
    const back = (x: number): number => (pairs.scale === 'ratio' ? base * Math.exp(x) : base + x)
    return { metric, value: back(estimate), low: back(low), high: back(high) }
  })
  const values = Object.fromEntries(readings.map(({ metric, value }) => [metric, value]))
  const interval = { low: readings.map(({ low }) => low), high: readings.map(({ high }) => high) }
  return { metrics: { ...metrics, ...values }, interval }
}

/** Differences between a candidate and another, run by run: of logarithms where every number is positive. */
export interface Pairs {
  readonly scale: 'ratio' | 'difference'
  readonly differences: readonly number[]
}

/** Pairs the first run of the candidate with the first of the root (or the rival), and so on. A run without a partner is left out. */
export function pairUp(
  samples: readonly Sample[],
  metric: string,
  stage: Stage,
  other: Exclude<Sample['subject'], 'candidate'> = 'root',
): Pairs {
  const numbersOf = (subject: Sample['subject']): number[] =>
    samples
      .filter((sample) => sample.subject === subject && sample.stage === stage)
      .map(({ metrics }) => metrics[metric] ?? Number.NaN)
  const candidate = numbersOf('candidate')
  const root = numbersOf(other)
  const pairs = candidate
    .slice(0, root.length)
    .map((value, index) => [value, root[index] ?? Number.NaN] as const)
  const scale = pairs.every(([a, b]) => a > 0 && b > 0) ? 'ratio' : 'difference'
  const differences = pairs.map(([a, b]) => (scale === 'ratio' ? Math.log(a / b) : a - b))
  return { scale, differences }
}

/** How much the root differs from itself. */
export interface Noise {
  /** The robust spread of single runs, as a share of the first objective's middle (1.4826 MAD ∕ median). */
  readonly spread: number
  /** The smallest gain that the campaign's pairs can tell from nothing, as a share. */
  readonly resolvable: number
  /** The root against itself, in pairs: an interval without 0 says that the runs are not alike (A/A test). */
  readonly selfTest: Reading
}

/** Learns the noise from runs of the root alone. */
export function readNoise(runs: readonly Metrics[], objective: Objective, sampling: SamplingPlan): Noise {
  const numbers = runs.map((metrics) => metrics[objective.metric] ?? Number.NaN)
  const middle = median(numbers)
  const spread =
    middle === 0 ? Number.MAX_VALUE : (1.4826 * medianAbsoluteDeviation(numbers)) / Math.abs(middle)
  const split: Sample[] = runs.map((metrics, index) => ({
    // ABBA, as candidates are measured.
    subject: index % 4 === 0 || index % 4 === 3 ? 'root' : 'candidate',
    stage: 'full',
    metrics,
  }))
  const selfTest = readPairs(pairUp(split, objective.metric, 'full').differences, sampling)
  return { spread, resolvable: resolvableGain(spread, sampling), selfTest }
}

// Half the width of the interval that the plan ends with, for normal noise: two runs a pair, each as noisy.
function resolvableGain(spread: number, { maxPairs }: SamplingPlan): number {
  const HALF_WIDTH = 2.8
  return HALF_WIDTH * spread * Math.sqrt(2 / maxPairs)
}

/** Why numbers vary too much for a campaign, in words; undefined when they do not. */
export function explainNoise(
  noise: Noise | undefined,
  { smallestGain, sampling }: { readonly smallestGain: number; readonly sampling: SamplingPlan },
): string | undefined {
  if (noise === undefined || noise.resolvable <= smallestGain) return undefined
  const percent = (share: number): string => `${(100 * Math.min(share, 100)).toPrecision(2)} %`
  return `runs of the root differ by ${percent(noise.spread)}: with ${sampling.maxPairs} pairs no gain below ${percent(noise.resolvable)} can be told from chance, and evaluation.sampling.smallest_gain asks for ${percent(smallestGain)}`
}

/** Metric by metric, the middle of the runs; a metric that some run lacks is left out. */
export function medianMetrics(runs: readonly Metrics[]): Metrics {
  const names = Object.keys(runs[0] ?? {})
  return Object.fromEntries(
    names.flatMap((name) => {
      const values = runs.flatMap((metrics) => metrics[name] ?? [])
      return values.length < runs.length ? [] : [[name, median(values)] as const]
    }),
  )
}

function isCandidate({ subject }: Sample): boolean {
  return subject === 'candidate'
}
