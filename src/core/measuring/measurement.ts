import { median } from 'simple-statistics'
import type { Metrics, Objective, Value } from './objective.ts'
import { readPairs, type SamplingPlan } from './stats/sampling.ts'

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

/**
 * Who runs in a block of two pairs: other, candidate, candidate, other, and the other way round in every second block.
 * What drifts steadily falls out of each block. What disturbs runs that follow each other alike would make the pairs of
 * one block agree, and look surer than they are; the next block's order turns that about.
 */
export function blockSequence<T>(block: number, other: T): readonly (T | 'candidate')[] {
  return block % 2 === 0 ? [other, 'candidate', 'candidate', other] : ['candidate', other, other, 'candidate']
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

/** Values run by run: of the candidate, and of the root (in a duel the rival) in turns with it. */
export interface Runs extends StageRuns {
  readonly rival?: readonly Value[] | undefined
  readonly quick?: StageRuns | undefined
  readonly heldOut?: StageRuns | undefined
}

interface StageRuns {
  readonly candidate: readonly Value[]
  readonly root: readonly Value[]
}

/** The objectives' numbers of every run, at every stage; undefined where one run of the candidate says all. */
export function runsOf(samples: readonly Sample[], objectives: readonly Objective[]): Runs | undefined {
  if (samples.length < 2) return undefined
  const valuesOf = (stage: Stage, subject: Sample['subject']): Value[] =>
    samples
      .filter((sample) => sample.stage === stage && sample.subject === subject)
      .map(({ metrics }) => objectives.map(({ metric }) => metrics[metric] ?? 0))
  const runsAt = (stage: Stage): StageRuns => ({
    candidate: valuesOf(stage, 'candidate'),
    root: valuesOf(stage, 'root'),
  })
  const has = (stage: Stage): boolean => samples.some((sample) => sample.stage === stage)
  const rival = valuesOf('full', 'rival')
  return {
    ...runsAt('full'),
    ...(rival.length > 0 && { rival }),
    ...(has('quick') && { quick: runsAt('quick') }),
    ...(has('held-out') && { heldOut: runsAt('held-out') }),
  }
}
