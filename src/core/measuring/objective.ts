/** Named numbers from the evaluator. */
export type Metrics = Readonly<Record<string, number>>

/** Valid metric names: one line of text without control characters. */
export const METRIC_NAME = /^\P{C}+$/u
export const MAX_NAME_CHARACTERS = 100

export type Direction = 'maximize' | 'minimize'

/** A metric with a direction. Objectives are ordered: the first decides, later ones break ties. */
export interface Objective {
  readonly metric: string
  readonly direction: Direction
  /** The campaign may stop when the best candidate reaches this. */
  readonly target?: number | undefined
  /** A value outside these bounds is impossible, so the candidate is refused. */
  readonly min?: number | undefined
  readonly max?: number | undefined
}

/** What elites are compared on: one measured number per objective, in order. */
export type Value = readonly number[]

export type ValueRefusal = 'metric-missing' | 'metric-not-finite' | 'metric-out-of-bounds'

export type ValueResult =
  | { readonly status: 'valid'; readonly value: Value }
  | { readonly status: 'refused'; readonly reason: ValueRefusal; readonly metric: string }

/** Reads the objective values from the metrics, or names the first unusable one. */
export function readValue(metrics: Metrics, objectives: readonly Objective[]): ValueResult {
  const value: number[] = []
  for (const objective of objectives) {
    const measured = Object.hasOwn(metrics, objective.metric) ? metrics[objective.metric] : undefined
    const reason = refusal(measured, objective)
    if (reason !== undefined) return { status: 'refused', reason, metric: objective.metric }
    value.push(measured ?? Number.NaN)
  }
  return { status: 'valid', value }
}

function refusal(measured: number | undefined, objective: Objective): ValueRefusal | undefined {
  if (measured === undefined) return 'metric-missing'
  if (!Number.isFinite(measured)) return 'metric-not-finite'
  if (objective.min !== undefined && measured < objective.min) return 'metric-out-of-bounds'
  if (objective.max !== undefined && measured > objective.max) return 'metric-out-of-bounds'
  return undefined
}

/** Positive when `a` is better, negative when `b` is, 0 on a tie. Lexicographic in the objectives' order. */
export function compareValues(a: Value, b: Value, objectives: readonly Objective[]): number {
  for (const [index, objective] of objectives.entries()) {
    const difference = (a[index] ?? Number.NaN) - (b[index] ?? Number.NaN)
    if (difference !== 0) return objective.direction === 'maximize' ? difference : -difference
  }
  return 0
}

/** The first objective, with the sign chosen so that more is better. */
export function orientedPrimary(value: Value, objectives: readonly Objective[]): number {
  const primary = value[0] ?? Number.NaN
  return objectives[0]?.direction === 'minimize' ? -primary : primary
}

/** The gain relative to the baseline; undefined if the baseline is 0. */
export function relativeGain(
  value: Value,
  baseline: Value,
  objectives: readonly Objective[],
): number | undefined {
  const from = orientedPrimary(baseline, objectives)
  if (from === 0) return undefined
  return (orientedPrimary(value, objectives) - from) / Math.abs(from)
}

/** Whether at least one objective has a target and all targets are reached. */
export function reachesTargets(value: Value, objectives: readonly Objective[]): boolean {
  const targeted = objectives.map((objective, index) => ({
    ...objective,
    measured: value[index] ?? Number.NaN,
  }))
  const withTarget = targeted.filter((objective) => objective.target !== undefined)
  return (
    withTarget.length > 0 &&
    withTarget.every(({ measured, target = 0, direction }) =>
      direction === 'maximize' ? measured >= target : measured <= target,
    )
  )
}
