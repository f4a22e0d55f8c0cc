/** Readable labels for the two ends of a learned axis. */
export interface AxisName {
  readonly low: string
  readonly high: string
}

/** A candidate's scores and labels. */
export interface NamedPoint {
  readonly scores: readonly number[]
  readonly files: readonly string[]
  readonly terms: readonly string[]
}

// From this loading on, an axis measures the size of a change rather than its content.
const SIZE_LOADING = 0.7
const LEAST_USES = 2
const MOST_TERMS = 2

/**
 * Names the ends of each axis: the file and the terms whose candidates are furthest in that direction, or the size of
 * the change if the axis measures that. `sizeLoadings` is each axis' loading on the magnitude.
 */
export function nameAxes(points: readonly NamedPoint[], sizeLoadings: readonly number[]): AxisName[] {
  return sizeLoadings.map((loading, axis) => {
    if (loading >= SIZE_LOADING) return { low: 'small changes', high: 'large changes' }
    if (loading <= -SIZE_LOADING) return { low: 'large changes', high: 'small changes' }
    const scores = standardised(points.map((point) => point.scores[axis] ?? 0))
    const files = rankLabels(
      points.map(({ files }) => files.slice(0, 1)),
      scores,
    )
    const terms = rankLabels(
      points.map(({ terms }) => terms),
      scores,
    )
    return { low: joinLabels(files, terms, -1), high: joinLabels(files, terms, 1) }
  })
}

/** How far the candidates of each label are towards the upper end: the sum of their scores ∕ √(count). */
function rankLabels(labels: readonly (readonly string[])[], scores: readonly number[]): Map<string, number> {
  const sums = new Map<string, { sum: number; uses: number }>()
  for (const [index, own] of labels.entries()) {
    for (const label of new Set(own)) {
      const { sum, uses } = sums.get(label) ?? { sum: 0, uses: 0 }
      sums.set(label, { sum: sum + (scores[index] ?? 0), uses: uses + 1 })
    }
  }
  const often = [...sums].filter(([, { uses }]) => uses >= LEAST_USES)
  return new Map(often.map(([label, { sum, uses }]) => [label, sum / Math.sqrt(uses)]))
}

function joinLabels(
  files: ReadonlyMap<string, number>,
  terms: ReadonlyMap<string, number>,
  end: 1 | -1,
): string {
  const best = (ranks: ReadonlyMap<string, number>, most: number): string[] =>
    [...ranks]
      .filter(([, rank]) => rank * end > 0)
      .sort(([a, x], [b, y]) => (y - x) * end || (a < b ? -1 : 1))
      .slice(0, most)
      .map(([label]) => label)
  const [file] = best(files, 1)
  const words = best(terms, MOST_TERMS).join(', ')
  return [file, words].filter(Boolean).join(': ') || 'other changes'
}

function standardised(values: readonly number[]): number[] {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length)
  return values.map((value) => (deviation > 0 ? (value - mean) / deviation : 0))
}
