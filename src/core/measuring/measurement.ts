import { median } from 'simple-statistics'
import type { Metrics, Objective, Value } from './objective.ts'
import { readPairs, type SamplingPlan } from './stats/sampling.ts'

export const SUBJECTS = ['candidate', 'root', 'rival'] as const
export const STAGES = ['quick', 'full', 'held-out'] as const
export type Stage = (typeof STAGES)[number]

/** One run of the evaluator: which files, which stage, and the metrics it printed. */
export interface Sample {
  readonly subject: (typeof SUBJECTS)[number]
  readonly stage: Stage
  readonly metrics: Metrics
}

/** Confidence intervals of a value, one per objective. */
export interface ValueInterval {
  readonly low: Value
  readonly high: Value
}

/** A candidate's figures: one number per metric and, if runs differ, confidence intervals. */
export interface Summary {
  readonly metrics: Metrics
  readonly interval?: ValueInterval | undefined
}

/** The root's figures, used to convert ratios back into the metric's unit. */
export interface Reference {
  readonly metrics: Metrics
  readonly deterministic: boolean
}

/**
 * Summarises a candidate's runs. Interleaved with the root, an objective's value is the root's known figure times the
 * ratio of the pairs. This cancels the speed of the machine, so figures from different runners and days are comparable.
 * Without pairs (a deterministic evaluator) it is the measured number.
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

/** Paired differences between a candidate and another subject: of logarithms if every number is positive. */
export interface Pairs {
  readonly scale: 'ratio' | 'difference'
  readonly differences: readonly number[]
}

/**
 * Pairs the candidate's runs with the root's (or the rival's): those that followed the same subject, in order, because a
 * run may affect the next one. `drawTurns` ends with the subject of its lead, so the first run follows the last one's.
 * Runs that are left over are paired in order; one without a partner is ignored.
 */
export function pairUp(
  samples: readonly Sample[],
  metric: string,
  stage: Stage,
  other: Exclude<Sample['subject'], 'candidate'> = 'root',
): Pairs {
  const runs = samples.filter((sample) => {
    return sample.stage === stage && (sample.subject === 'candidate' || sample.subject === other)
  })
  const pairs = matchRuns(runs).map((pair) => pair.map(({ metrics }) => metrics[metric] ?? Number.NaN))
  const scale = pairs.flat().every((number) => number > 0) ? 'ratio' : 'difference'
  const differences = pairs.map(([a = Number.NaN, b = Number.NaN]) =>
    scale === 'ratio' ? Math.log(a / b) : a - b,
  )
  return { scale, differences }
}

/** Pairs of a candidate's run and another's, in the order in which they were complete. */
function matchRuns(runs: readonly Sample[]): (readonly [Sample, Sample])[] {
  const follows = (index: number): string => runs.at(index - 1)?.subject ?? ''
  const indexes = [...runs.keys()]
  const own = indexes.filter((index) => runs[index]?.subject === 'candidate')
  const others = indexes.filter((index) => runs[index]?.subject !== 'candidate')
  const alike = ['candidate', 'root', 'rival'].flatMap((before) => {
    const isAfter = (index: number): boolean => follows(index) === before
    return zip(own.filter(isAfter), others.filter(isAfter))
  })
  const used = new Set(alike.flat())
  const isLeft = (index: number): boolean => !used.has(index)
  const all = [...alike, ...zip(own.filter(isLeft), others.filter(isLeft))]
  return all
    .sort((a, b) => Math.max(...a) - Math.max(...b))
    .flatMap(([a, b]) => {
      const [candidate, other] = [runs[a], runs[b]]
      return candidate === undefined || other === undefined ? [] : [[candidate, other] as const]
    })
}

function zip(a: readonly number[], b: readonly number[]): (readonly [number, number])[] {
  return a.slice(0, b.length).map((each, index) => [each, b[index] ?? 0] as const)
}

/** The median of each metric. A metric that any run lacks is omitted. */
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

/** Values run by run: of the candidate and of the interleaved root (in a duel, the rival). */
export interface Runs extends StageRuns {
  readonly rival?: readonly Value[] | undefined
  readonly quick?: StageRuns | undefined
  readonly heldOut?: StageRuns | undefined
}

interface StageRuns {
  readonly candidate: readonly Value[]
  readonly root: readonly Value[]
}

/** The objective values of every run at every stage, in the order of their pairs; undefined for a single run. */
export function runsOf(samples: readonly Sample[], objectives: readonly Objective[]): Runs | undefined {
  if (samples.length < 2) return undefined
  const valuesOf = (stage: Stage, subject: Sample['subject']): Value[] => {
    const runs = samples.filter((sample) => sample.stage === stage)
    const paired = matchRuns(runs).flat()
    return [...paired, ...runs.filter((run) => !paired.includes(run))]
      .filter((run) => run.subject === subject)
      .map(({ metrics }) => objectives.map(({ metric }) => metrics[metric] ?? 0))
  }
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
