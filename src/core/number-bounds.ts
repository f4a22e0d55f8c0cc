/**
 * Bounds of numbers from outside. Each leaves room for sums, squares and ratios of a whole campaign: beyond the range of
 * a double they become Infinity, which JSON cannot store, and then the state could not be read again.
 */

/** The most tokens, dollars or milliseconds that one agent or endpoint can report. More is counted as this. */
export const MOST_REPORTED = 1e12

/** The most that an artifact may claim for one run. */
export const MOST_PER_RUN = 1e15

/** The most dollars or minutes that a config can allow, and the most dollars that a million tokens can cost. */
export const MOST_ALLOWED = 1e9

/** The largest size of a metric, and the smallest apart from 0. */
export const LARGEST_METRIC = 1e100
const SMALLEST_METRIC = 1e-100

/** A reported amount within its bounds; undefined for what is not an amount. */
export function boundReported(amount: unknown): number | undefined {
  return typeof amount === 'number' && amount >= 0 ? Math.min(amount, MOST_REPORTED) : undefined
}

/** Whether a campaign can calculate with a finite metric. */
export function isUsableMetric(value: number): boolean {
  const size = Math.abs(value)
  return size === 0 || (size >= SMALLEST_METRIC && size <= LARGEST_METRIC)
}
