import { median } from 'simple-statistics'

/** A location with its confidence interval; each end is missed with at most the probability `alpha`. */
export interface Interval {
  readonly estimate: number
  readonly low: number
  readonly high: number
  readonly alpha: number
}

/**
 * The Hodges–Lehmann estimate of where paired differences are centred, with Wilcoxon's signed-rank interval. Exact,
 * however heavy the tails, where the pairs are independent and the differences symmetric, as they are when root and
 * candidate share their noise. Runs that disturb the next ones are not independent: then it is only about right, and
 * the order of the turns takes most of that out (`npm run bench -- aa`, autocorrelated). The ends are Walsh averages, so that one wild pair moves them little. With too few pairs for
 * `alpha` the widest interval is given, and what its ends can be trusted with. O(n² log n); at least one difference.
 */
export function signedRankInterval(differences: readonly number[], alpha: number): Interval {
  const averages = walshAverages(differences)
  const chances = rankSumChances(differences.length)
  const trusted = Math.max(1, chances.filter((chance) => chance <= alpha).length)
  return {
    estimate: median(averages),
    low: averages[trusted - 1] ?? Number.NaN,
    high: averages[averages.length - trusted] ?? Number.NaN,
    alpha: chances[trusted - 1] ?? 1,
  }
}

/** The means of all pairs of values, each with itself too, in order. */
function walshAverages(values: readonly number[]): number[] {
  const averages = values.flatMap((value, index) => values.slice(index).map((other) => (value + other) / 2))
  return averages.sort((a, b) => a - b)
}

const known = new Map<number, readonly number[]>()

/** The chance that the sum of the positive ranks of n symmetric differences is at most t, for each t. */
export function rankSumChances(n: number): readonly number[] {
  const found = known.get(n)
  if (found !== undefined) return found
  let ways = [1]
  for (let rank = 1; rank <= n; rank++) {
    const next = Array.from(
      { length: ways.length + rank },
      (_, sum) => (ways[sum] ?? 0) + (ways[sum - rank] ?? 0),
    )
    ways = next
  }
  let sum = 0
  const chances = ways.map((count) => {
    sum += count
    return sum / 2 ** n
  })
  known.set(n, chances)
  return chances
}
