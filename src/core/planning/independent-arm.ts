import { quantileSorted } from 'simple-statistics'
import { type Rng, rngFor } from '../rng.ts'

/** What the candidates that started from the root alone reached. Bounded, because every tick rewrites it. */
export interface IndependentArm {
  readonly draws: number
  /** The largest gains over the root, as logarithms, best first. Failures and losses count as 0. */
  readonly gains: readonly number[]
}

const NO_DRAWS: IndependentArm = { draws: 0, gains: [] }
const GAINS_KEPT = 64

/** Fewer draws say too little about the tail of their distribution. */
export const LEAST_DRAWS = 20

/** Counts one draw; 0 if it failed. */
export function noteDraw(arm: IndependentArm = NO_DRAWS, gain: number): IndependentArm {
  const gains = [...arm.gains, Math.max(0, gain)].sort((a, b) => b - a).slice(0, GAINS_KEPT)
  return { draws: arm.draws + 1, gains }
}

/** What the search added over the best of as many independent candidates. Gains are logarithms. */
export interface ArmComparison {
  /** The expected best of that many independent candidates, with its interval. */
  readonly expected: number
  readonly low: number
  readonly high: number
  /** Whether the search's best lies above the interval. */
  readonly paid: boolean
}

const RESAMPLES = 400
const TAIL = 0.025

/**
 * Compares the search's best gain with the expected best of `candidates` independent draws. The draws are fewer, so their
 * tail is extrapolated: above a quarter of them, gains are taken as exponential. The interval is a bootstrap of the draws.
 * Undefined below 20 draws.
 */
export function compareWithArm(
  arm: IndependentArm | undefined,
  { best, candidates, seed }: { readonly best: number; readonly candidates: number; readonly seed: number },
): ArmComparison | undefined {
  if (arm === undefined || arm.draws < LEAST_DRAWS) return undefined
  const rng = rngFor(seed, 0, 'independent-arm')
  const resampled = Array.from({ length: RESAMPLES }, () => expectedBest(resample(arm, rng), candidates))
  const sorted = resampled.sort((a, b) => a - b)
  const high = quantileSorted(sorted, 1 - TAIL)
  return {
    expected: expectedBest(arm, candidates),
    low: quantileSorted(sorted, TAIL),
    high,
    paid: best > high,
  }
}

const EULER = 0.5772
const LEAST_TAIL = 5

// The expected maximum of n exponential excesses is their mean times (ln n + γ).
function expectedBest({ draws, gains }: IndependentArm, candidates: number): number {
  const size = Math.min(gains.length - 1, Math.max(LEAST_TAIL, Math.floor(draws / 4)))
  const threshold = gains[size] ?? 0
  const excess = gains.slice(0, size).reduce((sum, gain) => sum + gain - threshold, 0) / Math.max(1, size)
  const above = Math.max(1, (candidates * size) / draws)
  return Math.max(threshold + excess * (Math.log(above) + EULER), 0)
}

// Draws beyond those that are kept lie below the threshold, so their exact gains do not matter.
function resample({ draws, gains }: IndependentArm, rng: Rng): IndependentArm {
  const drawn = Array.from({ length: draws }, () => gains[rng.int(draws)] ?? 0)
  return { draws, gains: drawn.sort((a, b) => b - a).slice(0, GAINS_KEPT) }
}
