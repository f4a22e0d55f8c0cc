import { normalQuantile } from './normal.ts'
import { signedRankInterval } from './signed-rank.ts'

/** How often a candidate and the root are measured in turns, and how sure a verdict must be. */
export interface SamplingPlan {
  readonly minPairs: number
  readonly maxPairs: number
  /** The chance that a verdict `better` is right when there is nothing to it, such as 0.995. */
  readonly confidence: number
}

/** What the pairs say so far; the interval holds at all looks of the plan together. */
export interface Reading {
  readonly estimate: number
  readonly low: number
  readonly high: number
}

/** Whether to go on measuring, and why not. */
export type Decision = 'more' | 'better' | 'not-better' | 'open'

// Giving up on a candidate wrongly costs a find, not a false one: it may be done on less evidence. At one look this is
// the chance that a gain is given up which the plan's end could tell from the bar.
const GIVE_UP_ALPHA = 0.02
// Of what could be told apart, a margin for the rough idea that few pairs give of it (see `npm run bench -- aa`).
const REACH = 0.6

/**
 * How many pairs there are when the plan looks at them: at the least number, then about half as many more each
 * time, then at the most. Few looks: each spends some of the error that the plan allows.
 */
export function looksOf(plan: SamplingPlan): number[] {
  const looks: number[] = []
  const last = mostPairs(plan)
  for (let pairs = toEven(plan.minPairs); pairs < last; pairs = toEven(pairs * 1.5)) looks.push(pairs)
  return [...looks, last]
}

// Pairs come in twos (root, candidate, candidate, root), so that a steady drift falls out.
function toEven(pairs: number): number {
  return Math.ceil(pairs / 2) * 2
}

function mostPairs({ minPairs, maxPairs }: SamplingPlan): number {
  return toEven(Math.max(minPairs, maxPairs))
}

/** How many pairs a plan must allow at the least, so that any result of them can be as sure as `confidence` asks. */
export function leastPairs(confidence: number): number {
  return Math.ceil(-Math.log2((1 - confidence) / 2))
}

interface Spending {
  readonly alpha: number
  /** Whether that few pairs can be that sure: n pairs of one sign have the chance 2⁻ⁿ. */
  readonly usable: boolean
}

/**
 * The plan's error at a look (alpha spending): half of it at the last one, the rest shared by the earlier ones that
 * have enough pairs to use a share. The shares add up to the whole, so that the chance of a false `better` at any
 * look is bounded by it (Bonferroni), whatever makes the measuring stop.
 */
function spendAt(plan: SamplingPlan, pairs: number): Spending {
  const alpha = 1 - plan.confidence
  if (pairs >= mostPairs(plan)) return { alpha: alpha / 2, usable: 2 ** -pairs <= alpha / 2 }
  const early = looksOf(plan).slice(0, -1)
  while (early.length > 1 && 2 ** -(early[0] ?? 0) > alpha / 2 / early.length) early.shift()
  const share = alpha / 2 / Math.max(1, early.length)
  return { alpha: share, usable: early.includes(pairs) && 2 ** -pairs <= share }
}

/** Reads paired differences at any look. With too few of them for the plan's confidence, the interval is widened. */
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

// How much of the mean's precision the signed ranks keep where noise is normal: 3∕π (Lehmann 1975).
const EFFICIENCY = 3 / Math.PI

/** About how far the interval's ends are from the estimate when a plan ends, for normal differences of that spread. */
export function halfWidthAtEnd(spread: number, plan: SamplingPlan): number {
  const pairs = mostPairs(plan)
  return (normalQuantile(1 - spendAt(plan, pairs).alpha) * spread) / Math.sqrt(EFFICIENCY * pairs)
}

/** Whether the differences (more is better) stand out from `bar` already, or must go on being measured. */
export function decide(differences: readonly number[], bar: number, plan: SamplingPlan): Decision {
  const pairs = differences.length
  if (!looksOf(plan).includes(pairs)) return 'more'
  const { estimate, low, high } = readPairs(differences, plan)
  if (low > bar && spendAt(plan, pairs).usable) return 'better'
  // What the plan could still tell from nothing at its end. Where even that much is out of reach, more is waste. Of few
  // pairs one wild one drags an end along with it: the nearer end says what the others can do.
  const reach = REACH * Math.min(estimate - low, high - estimate) * Math.sqrt(pairs / mostPairs(plan))
  const within = signedRankInterval(differences, GIVE_UP_ALPHA)
  // Five pairs or fewer cannot be that sure of anything.
  if (within.alpha <= GIVE_UP_ALPHA && within.high < bar + reach) return 'not-better'
  return pairs === mostPairs(plan) ? 'open' : 'more'
}
