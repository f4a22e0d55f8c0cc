import type { GitEnvironment } from '../src/git/command.ts'

/** What a benchmark works with. */
export interface BenchOptions {
  /** Smaller, for a look; the figures are rougher. */
  readonly quick: boolean
  /** An empty folder of its own, removed when the process ends. */
  readonly place: string
  readonly gitEnvironment: GitEnvironment
  readonly path: string
  /** Tells a waiting person how far it is. */
  log(message: string): void
}

/** What a benchmark found: a few figures to watch, and what they were made of. */
export interface BenchReport {
  readonly headline: Readonly<Record<string, number>>
  readonly details: Readonly<Record<string, unknown>>
}

export interface Bench {
  readonly about: string
  run(options: BenchOptions): Promise<BenchReport>
}

/** The middle value, of an even number the mean of the two in the middle. The list must not be empty. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const upper = sorted[sorted.length >> 1]
  const lower = sorted[(sorted.length - 1) >> 1]
  if (upper === undefined || lower === undefined) throw new RangeError('median: the list is empty')
  return (lower + upper) / 2
}

/** A number with so many digits behind the point. */
export function rounded(value: number, digits = 2): number {
  return Number(value.toFixed(digits))
}

/** How long some work takes, in milliseconds. */
export async function timeMs(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}
