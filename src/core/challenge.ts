import type { ValueInterval } from './measurement.ts'
import type { Objective, Value } from './objective.ts'

/** A value, and between what it truly lies when runs differ. */
export interface Standing {
  readonly value: Value
  readonly interval?: ValueInterval | undefined
}

/** How a challenger stands to the holder of a cell; a close call is ahead, but not beyond the noise. */
export type ChallengeOutcome = 'better' | 'tie' | 'not-better' | 'close-call'

/**
 * Compares two candidates that were measured apart, each in turns with the root. The interval of their difference is
 * recovered from the two intervals (MOVER, Zou and Donner 2008): without noise this is an exact comparison. The
 * objectives' order decides; only an exact tie goes on to the next.
 */
export function challenge(
  challenger: Standing,
  holder: Standing,
  objectives: readonly Objective[],
): ChallengeOutcome {
  for (const [index, { direction }] of objectives.entries()) {
    const sign = direction === 'maximize' ? 1 : -1
    const lead = sign * (at(challenger.value, index) - at(holder.value, index))
    const margin = Math.hypot(shortfall(challenger, index, sign), shortfall(holder, index, -sign))
    if (lead > margin) return 'better'
    if (lead > 0) return 'close-call'
    if (lead < 0 || margin > 0) return 'not-better'
  }
  return 'tie'
}

/** How far the true value may lie from the measured one in the given direction against it. */
function shortfall({ value, interval }: Standing, index: number, sign: number): number {
  if (interval === undefined) return 0
  return Math.abs(at(value, index) - at(sign > 0 ? interval.low : interval.high, index))
}

function at(value: Value, index: number): number {
  return value[index] ?? Number.NaN
}
