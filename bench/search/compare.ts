import { type Rng, rngFor } from '../../src/core/rng.ts'

/** The mean of paired differences, with a 95 % bootstrap interval and a two-sided p-value. */
export interface Difference {
  readonly mean: number
  readonly low: number
  readonly high: number
  readonly p: number
  /** How often the first is ahead; ties count half. */
  readonly winRate: number
}

const RESAMPLES = 2000

/** Compares two lists of results of the same seeds. */
export function comparePaired(ours: readonly number[], theirs: readonly number[], name: string): Difference {
  const differences = ours.map((each, index) => each - (theirs[index] ?? Number.NaN))
  const rng = rngFor(1, 0, `bootstrap ${name}`)
  const means = Array.from({ length: RESAMPLES }, () => mean(resample(differences, rng))).sort(
    (a, b) => a - b,
  )
  const below = means.filter((each) => each < 0).length + means.filter((each) => each === 0).length / 2
  const share = below / RESAMPLES
  const points = differences.map((each) => (each > 0 ? 1 : each === 0 ? 0.5 : 0))
  return {
    mean: mean(differences),
    low: means[Math.floor(0.025 * RESAMPLES)] ?? Number.NaN,
    high: means[Math.ceil(0.975 * RESAMPLES) - 1] ?? Number.NaN,
    p: Math.max(1 / RESAMPLES, 2 * Math.min(share, 1 - share)),
    winRate: mean(points),
  }
}

/** Which of these differences stay clear of zero when all are looked at together (Holm's step-down correction). */
export function findClear(differences: readonly Difference[], alpha = 0.05): ReadonlySet<Difference> {
  const sorted = [...differences].sort((a, b) => a.p - b.p)
  const stop = sorted.findIndex(({ p }, rank) => p > alpha / (sorted.length - rank))
  return new Set(stop < 0 ? sorted : sorted.slice(0, stop))
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
}

function resample(values: readonly number[], rng: Rng): number[] {
  return values.map(() => values[rng.int(values.length)] ?? 0)
}
