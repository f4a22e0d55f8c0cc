import type { ValueInterval } from '../measuring/measurement.ts'
import type { Objective, Value } from '../measuring/objective.ts'

/** A value, and between what it truly lies when runs differ. */
export interface Estimate {
  readonly value: Value
  readonly interval?: ValueInterval | undefined
}

/** How a challenger stands to the holder of a cell; a close call is ahead, but not beyond the noise. */
export type ChallengeOutcome = 'better' | 'tie' | 'not-better' | 'close-call'

/** How two candidates stand on one objective: surely better or worse, ahead or behind within the noise, or equal. */
export type Lead = 'better' | 'ahead' | 'equal' | 'behind' | 'worse'

/**
 * Compares two candidates that were measured apart, each in turns with the root. The objectives' order decides; only an
 * exact tie goes on to the next.
 */
export function challenge(
  challenger: Estimate,
  holder: Estimate,
  objectives: readonly Objective[],
): ChallengeOutcome {
  for (const [index, objective] of objectives.entries()) {
    const lead = leadOn(challenger, holder, objective, index)
    if (lead === 'better') return 'better'
    if (lead === 'ahead') return 'close-call'
    if (lead !== 'equal') return 'not-better'
  }
  return 'tie'
}

/**
 * Compares two candidates on the objective at an index. The interval of their difference is recovered from the two
 * intervals (MOVER, Zou and Donner 2008; of Wilson's intervals it is Newcombe's method 10): without noise this is an
 * exact comparison.
 */
export function leadOn(a: Estimate, b: Estimate, { direction }: Objective, index: number): Lead {
  const sign = direction === 'maximize' ? 1 : -1
  const lead = sign * (at(a.value, index) - at(b.value, index))
  const margin = Math.hypot(shortfall(a, index, sign), shortfall(b, index, -sign))
  if (lead > margin) return 'better'
  if (lead > 0) return 'ahead'
  if (lead === 0 && margin === 0) return 'equal'
  const otherMargin = Math.hypot(shortfall(a, index, -sign), shortfall(b, index, sign))
  return -lead > otherMargin ? 'worse' : 'behind'
}

/** How far the true value may lie from the measured one in the given direction against it. */
function shortfall({ value, interval }: Estimate, index: number, sign: number): number {
  if (interval === undefined) return 0
  return Math.abs(at(value, index) - at(sign > 0 ? interval.low : interval.high, index))
}

function at(value: Value, index: number): number {
  return value[index] ?? Number.NaN
}
