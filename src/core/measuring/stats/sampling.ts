import { normalQuantile } from './normal.ts'
import { signedRankInterval } from './signed-rank.ts'

/** How many interleaved pairs to run, and how certain a verdict must be. */
export interface SamplingPlan {
  readonly minPairs: number
  readonly maxPairs: number
  /** One minus the chance of a false `better`, such as 0.995. */
  readonly confidence: number
}

/** The estimate so far. The interval is valid across all looks of the plan. */
export interface Reading {
  readonly estimate: number
  readonly low: number
  readonly high: number
}

/** Whether to continue measuring, or why to stop. */
export type Decision = 'more' | 'better' | 'not-better' | 'open'

// Giving up wrongly loses a gain but never admits a false one, so it needs less evidence. This is the chance, at one
// look, to give up a gain that the full plan could have detected.
const GIVE_UP_ALPHA = 0.02
// A safety margin, because few pairs estimate the detectable gain only roughly (see `npm run bench -- aa`).
const REACH = 0.6

/**
 * The numbers of pairs at which the plan looks at the result: the minimum, then about half as many more each time, then
 * the maximum. There are few looks, because each one spends part of the allowed error.
 */
export function looksOf(plan: SamplingPlan): number[] {
  const looks: number[] = []
  const last = mostPairs(plan)
  for (let pairs = toEven(plan.minPairs); pairs < last; pairs = toEven(pairs * 1.5)) looks.push(pairs)
  return [...looks, last]
}

// Pairs come in twos (root, candidate, candidate, root), so that steady drift cancels.
function toEven(pairs: number): number {
  return Math.ceil(pairs / 2) * 2
}

function mostPairs({ minPairs, maxPairs }: SamplingPlan): number {
  return toEven(Math.max(minPairs, maxPairs))
}

/** The least `maxPairs` of a plan that can reach `confidence`. An odd number gets one pair more. */
export function leastPairs(confidence: number): number {
  return toEven(-Math.log2((1 - confidence) / 2)) - 1
}

interface Spending {
  readonly alpha: number
  /** Whether so few pairs can reach this level: n pairs of one sign have probability 2⁻ⁿ. */
  readonly usable: boolean
}

/**
 * The error spent at a look (alpha spending): half at the last one, the rest shared by the earlier looks that have
 * enough pairs. The shares add up to the total, which bounds the chance of a false `better` at any look (Bonferroni).
 */
function spendAt(plan: SamplingPlan, pairs: number): Spending {
  const alpha = 1 - plan.confidence
  if (pairs >= mostPairs(plan)) return { alpha: alpha / 2, usable: 2 ** -pairs <= alpha / 2 }
  const early = looksOf(plan).slice(0, -1)
  while (early.length > 1 && 2 ** -(early[0] ?? 0) > alpha / 2 / early.length) early.shift()
  const share = alpha / 2 / Math.max(1, early.length)
  return { alpha: share, usable: early.includes(pairs) && 2 ** -pairs <= share }
}

/** Estimates from paired differences at any look. With too few pairs for the plan's confidence, the interval is widened. */
export function readPairs(differences: readonly number[], plan: SamplingPlan): Reading {
  const wanted = spendAt(plan, differences.length).alpha
  const { estimate, low, high, alpha } = signedRankInterval(differences, wanted)
  const widening =
    alpha <= wanted ? 1 : normalQuantile(1 - wanted) / normalQuantile(1 - Math.min(alpha, 0.25))
  return {
    estimate,
    low: estimate - (estimate - low) * widening,
    high: estimate + (high - estimate) * widening,
  }
}

/** Decides whether the differences (more is better) exceed `bar` beyond the noise, or whether to measure more. */
export function decide(differences: readonly number[], bar: number, plan: SamplingPlan): Decision {
  const pairs = differences.length
  if (!looksOf(plan).includes(pairs)) return 'more'
  const { estimate, low, high } = readPairs(differences, plan)
  if (low > bar && spendAt(plan, pairs).usable) return 'better'
  // The gain that the full plan could still detect. If even that is out of reach, more pairs are wasted. With few pairs
  // one outlier drags one end of the interval along, so use the nearer end.
  const reach = REACH * Math.min(estimate - low, high - estimate) * Math.sqrt(pairs / mostPairs(plan))
  const within = signedRankInterval(differences, GIVE_UP_ALPHA)
  // Five pairs or fewer never reach this level.
  if (within.alpha <= GIVE_UP_ALPHA && within.high < bar + reach) return 'not-better'
  return pairs === mostPairs(plan) ? 'open' : 'more'
}
