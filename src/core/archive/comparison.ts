import type { ValueInterval } from '../measuring/measurement.ts'
import type { Objective, Value } from '../measuring/objective.ts'

/** A measured value, with its confidence interval when runs differ. */
export interface Estimate {
  readonly value: Value
  readonly interval?: ValueInterval | undefined
}

/** How a challenger compares with the holder of a cell. A close call is ahead, but within the noise. */
export type ChallengeOutcome = 'better' | 'tie' | 'not-better' | 'close-call'

/** How two candidates compare on one objective: better or worse beyond the noise, ahead or behind within it, or equal. */
export type Lead = 'better' | 'ahead' | 'equal' | 'behind' | 'worse'

/**
 * Compares two candidates that were measured separately, each interleaved with the root. Objectives are compared in
 * order; only an exact tie goes on to the next.
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
 * Compares two candidates on one objective. The interval of the difference comes from the two intervals (MOVER, Zou and
 * Donner 2008; Newcombe's method 10 is the same for Wilson's intervals). Without noise the comparison is exact.
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

/** How far the true value may be from the measured one, in the unfavourable direction. */
function shortfall({ value, interval }: Estimate, index: number, sign: number): number {
  if (interval === undefined) return 0
  return Math.abs(at(value, index) - at(sign > 0 ? interval.low : interval.high, index))
}

function at(value: Value, index: number): number {
  return value[index] ?? Number.NaN
}
