/** Named numbers from the evaluator. */
export type Metrics = Readonly<Record<string, number>>

/** What a metric may be called, in configs, outputs, results and ledgers alike: any text of one line, without control characters. */
export const METRIC_NAME = /^\P{C}+$/u
export const MAX_NAME_CHARACTERS = 100

export type Direction = 'maximize' | 'minimize'

/** A metric with a direction. Objectives are ordered: the first decides, later ones break ties. */
export interface Objective {
  readonly metric: string
  readonly direction: Direction
  /** The campaign may stop when the best candidate reaches this. */
  readonly target?: number | undefined
  /** Values outside are impossible: the candidate is refused, however good it looks. */
  readonly min?: number | undefined
  readonly max?: number | undefined
}

/** What elites are compared on: one number an objective, in the objectives' order, as measured. */
export type Value = readonly number[]

export type ValueRefusal = 'metric-missing' | 'metric-not-finite' | 'metric-out-of-bounds'

export type ValueResult =
  | { readonly status: 'valid'; readonly value: Value }
  | { readonly status: 'refused'; readonly reason: ValueRefusal; readonly metric: string }

/** Reads the objectives' values out of the metrics, or names the first one that cannot be used. */
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

/** The first objective's number turned so that more is better. */
export function orientedPrimary(value: Value, objectives: readonly Objective[]): number {
  const primary = value[0] ?? Number.NaN
  return objectives[0]?.direction === 'minimize' ? -primary : primary
}

/** How much better than the baseline, as a share of the baseline's size; undefined when that is 0. */
export function relativeGain(
  value: Value,
  baseline: Value,
  objectives: readonly Objective[],
): number | undefined {
  const from = orientedPrimary(baseline, objectives)
  if (from === 0) return undefined
  return (orientedPrimary(value, objectives) - from) / Math.abs(from)
}

/** True when every objective that has a target reaches it, and at least one has. */
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
