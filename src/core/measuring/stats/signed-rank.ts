import { median } from 'simple-statistics'

/** A location estimate with its confidence interval. The truth lies beyond each end with probability at most `alpha`. */
export interface Interval {
  readonly estimate: number
  readonly low: number
  readonly high: number
  readonly alpha: number
}

/**
 * The Hodges–Lehmann estimate of the centre of paired differences, with Wilcoxon's signed-rank interval. It is exact for
 * independent pairs with symmetric differences, however heavy the tails. Root and candidate share their noise, so
 * differences are symmetric. If runs disturb the next ones it is approximate; the run sequence removes most of that
 * effect (`npm run bench -- aa`, autocorrelated). The ends are Walsh averages, so one outlier moves them little. With too
 * few pairs for `alpha`, returns the widest interval and its actual level. O(n² log n); needs at least one difference.
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

/** The sorted means of all pairs of values, including each value with itself. */
function walshAverages(values: readonly number[]): number[] {
  const averages = values.flatMap((value, index) => values.slice(index).map((other) => (value + other) / 2))
  return averages.sort((a, b) => a - b)
}

const known = new Map<number, readonly number[]>()

/** For each t, the probability that the positive ranks of n symmetric differences sum to at most t. */
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
