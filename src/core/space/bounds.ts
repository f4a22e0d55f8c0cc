/** The quantiles that scale raw scores to [0, 1]. */
export interface AxisBounds {
  /** Of the first axis. */
  readonly first: readonly number[]
  /** Of each further axis, one list for the middle of each part of the first. */
  readonly others: readonly (readonly (readonly number[])[])[]
}

const FIRST_KNOTS = 17
const OTHER_KNOTS = 9
// Parts of the first axis. With four, a line of descent, which is a curve in this space, left a quarter of a grid empty.
const PARTS = 8
// Fewer candidates tell nothing of a spread: then those of neighbouring parts count too.
const LEAST_SAMPLES = 8

/**
 * Bounds such that the given scores are spread evenly over [0, 1] on the first axis and, wherever one stands on it, on
 * the others. Axes depend on each other (large changes are about other things than small ones): scaled one by one
 * they leave half of a grid empty, which is measured in docs/reference/benchmarks.md.
 */
export function fitBounds(scores: readonly (readonly number[])[]): AxisBounds {
  const sorted = scores.toSorted((a, b) => (a[0] ?? 0) - (b[0] ?? 0))
  const parts = Array.from({ length: PARTS }, (_, part) => rowsAround(sorted, (part + 0.5) / PARTS))
  const axes = scores[0]?.length ?? 0
  const others = Array.from({ length: Math.max(0, axes - 1) }, (_, index) =>
    parts.map((rows) => quantiles(column(rows, index + 1), OTHER_KNOTS)),
  )
  return { first: quantiles(column(scores, 0), FIRST_KNOTS), others }
}

/** The rows next to a place on the first axis, which they are sorted by: as many as fall into a part. */
function rowsAround(sorted: readonly (readonly number[])[], place: number): readonly (readonly number[])[] {
  const count = Math.min(sorted.length, Math.max(LEAST_SAMPLES, Math.round(sorted.length / PARTS)))
  const start = Math.round(place * sorted.length - count / 2)
  const from = clamp(start, sorted.length - count)
  return sorted.slice(from, from + count)
}

/** Scores scaled to [0, 1]; beyond the bounds is the edge. */
export function positionOf(bounds: AxisBounds, scores: readonly number[]): number[] {
  const first = interpolate(bounds.first, scores[0] ?? 0)
  return scores.map((score, axis) =>
    axis === 0 ? first : interpolate(knotsAt(bounds.others[axis - 1] ?? [], first), score),
  )
}

// Between the middles of two parts, between their knots: no step in the map where one part ends.
function knotsAt(parts: readonly (readonly number[])[], place: number): readonly number[] {
  const at = clamp(place * parts.length - 0.5, Math.max(0, parts.length - 1))
  const low = parts[Math.floor(at)] ?? []
  const high = parts[Math.ceil(at)] ?? low
  return low.map((knot, index) => knot + (at - Math.floor(at)) * ((high[index] ?? knot) - knot))
}

/** Knots between those of two bounds: at 0 the first, at 1 the second. */
export function blendBounds(from: AxisBounds, to: AxisBounds, share: number): AxisBounds {
  const blend = (a: readonly number[], b: readonly number[] = a): number[] =>
    a.map((knot, index) => digits(knot + share * ((b[index] ?? knot) - knot)))
  return {
    first: blend(from.first, to.first),
    others: from.others.map((parts, axis) =>
      parts.map((knots, part) => blend(knots, to.others[axis]?.[part])),
    ),
  }
}

function digits(value: number): number {
  return Number(value.toPrecision(7))
}

function column(rows: readonly (readonly number[])[], axis: number): number[] {
  return rows.map((row) => row[axis] ?? 0)
}

// Between two values, not on one: whatever lies on a knot, which is often a cell's edge, would change sides at the
// smallest move.
function quantiles(values: readonly number[], count: number): number[] {
  const sorted = values.toSorted((a, b) => a - b)
  return Array.from({ length: count }, (_, index) => {
    const at = clamp((index / (count - 1)) * sorted.length - 0.5, sorted.length - 1)
    const [low = 0, high = low] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]]
    return digits(low + (at - Math.floor(at)) * (high - low))
  })
}

function clamp(value: number, most: number): number {
  return Math.max(0, Math.min(most, value))
}

/** Where a value lies between increasing knots, as a share; among equal knots in their middle. */
function interpolate(knots: readonly number[], value: number): number {
  const steps = knots.length - 1
  const below = knots.filter((knot) => knot < value).length
  const upTo = knots.filter((knot) => knot <= value).length
  if (steps < 1) return 0.5
  if (upTo > below) return (below + upTo - 1) / 2 / steps
  if (below === 0) return 0
  if (below > steps) return 1
  const low = knots[below - 1] ?? value
  const high = knots[below] ?? value
  return (below - 1 + (value - low) / (high - low)) / steps
}
