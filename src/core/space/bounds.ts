/** Quantiles that scale raw scores to [0, 1]. */
export interface AxisBounds {
  /** For the first axis. */
  readonly first: readonly number[]
  /** For each further axis, one list per part of the first axis. */
  readonly others: readonly (readonly (readonly number[])[])[]
}

const FIRST_KNOTS = 17
const OTHER_KNOTS = 9
// Parts of the first axis. With four, a single lineage, which is a curve in this space, left a quarter of the grid empty.
const PARTS = 8
// With fewer samples, neighbouring parts are included.
const LEAST_SAMPLES = 8

/**
 * Fits bounds that spread the scores evenly over [0, 1]: on the first axis, and on the others at every position of the
 * first. Axes depend on each other (large changes concern other things than small ones). Scaled independently they
 * leave half of the grid empty, as docs/reference/benchmarks.md shows.
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

/** The rows around a position on the first axis, by which they are sorted: as many as fall into one part. */
function rowsAround(
  sorted: readonly (readonly number[])[],
  position: number,
): readonly (readonly number[])[] {
  const count = Math.min(sorted.length, Math.max(LEAST_SAMPLES, Math.round(sorted.length / PARTS)))
  const start = Math.round(position * sorted.length - count / 2)
  const from = clamp(start, sorted.length - count)
  return sorted.slice(from, from + count)
}

/** Scales scores to [0, 1]; values beyond the bounds go to the edge. */
export function positionOf(bounds: AxisBounds, scores: readonly number[]): number[] {
  const first = interpolate(bounds.first, scores[0] ?? 0)
  return scores.map((score, axis) =>
    axis === 0 ? first : interpolate(knotsAt(bounds.others[axis - 1] ?? [], first), score),
  )
}

// Interpolates between the centres of two parts, so that the map has no steps between them.
function knotsAt(parts: readonly (readonly number[])[], position: number): readonly number[] {
  const at = clamp(position * parts.length - 0.5, Math.max(0, parts.length - 1))
  const low = parts[Math.floor(at)] ?? []
  const high = parts[Math.ceil(at)] ?? low
  return low.map((knot, index) => knot + (at - Math.floor(at)) * ((high[index] ?? knot) - knot))
}

/** Interpolates between two bounds: 0 gives the first, 1 the second. */
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

// Knots lie between values, not on them. A knot is often a cell's edge, so a value on it would change sides at the
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

/** The relative position of a value among increasing knots; the middle of equal knots. */
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
