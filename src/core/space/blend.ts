import type { Steps } from '../steps.ts'
import { type AxisBounds, blendBounds, fitBounds, positionOf } from './bounds.ts'
import { type Axes, blendAxes } from './fit-axes.ts'
import { rawScores } from './projection.ts'

/** Axes and the bounds that scale them. */
export interface Placement extends Axes {
  readonly bounds: AxisBounds
}

const STEPS = 10

/**
 * Moves from an old placement towards new axes, as far as possible without moving more than `mostMoved` of the elites to
 * another cell. Ten bisection steps are accurate to a thousandth.
 */
export function* moveTowards(
  old: Placement,
  target: readonly (readonly number[])[],
  { vectors, sides, mostMoved }: Moving,
): Steps<Placement> {
  const before = cellsOf(old, vectors, sides)
  const at = (share: number): Placement => {
    const axes = blendAxes(old.axes, target, share)
    const scores = vectors.map((vector) => rawScores(axes, old.mean, vector))
    return { mean: old.mean, axes, bounds: blendBounds(old.bounds, fitBounds(scores), share) }
  }
  const costs = (share: number): boolean => movedShare(before, cellsOf(at(share), vectors, sides)) > mostMoved
  yield
  if (!costs(1)) return at(1)
  let [low, high] = [0, 1]
  for (let step = 0; step < STEPS; step++) {
    yield
    const middle = (low + high) / 2
    if (costs(middle)) high = middle
    else low = middle
  }
  return low === 0 ? old : at(low)
}

export interface Moving {
  readonly vectors: readonly Float64Array[]
  /** The number of parts of each axis. */
  readonly sides: readonly number[]
  readonly mostMoved: number
}

function cellsOf(
  { axes, mean, bounds }: Placement,
  vectors: readonly Float64Array[],
  sides: readonly number[],
): string[] {
  return vectors.map((vector) => {
    const position = positionOf(bounds, rawScores(axes, mean, vector))
    return position
      .map((at, axis) => Math.min((sides[axis] ?? 1) - 1, Math.floor(at * (sides[axis] ?? 1))))
      .join()
  })
}

/** The mean over cells, because a cell has one elite however many candidates fall into it. */
function movedShare(before: readonly string[], after: readonly string[]): number {
  const cells = new Map<string, { moved: number; all: number }>()
  for (const [index, cell] of before.entries()) {
    const { moved, all } = cells.get(cell) ?? { moved: 0, all: 0 }
    cells.set(cell, { moved: moved + (after[index] === cell ? 0 : 1), all: all + 1 })
  }
  const shares = [...cells.values()].map(({ moved, all }) => moved / all)
  return shares.reduce((sum, share) => sum + share, 0) / Math.max(1, shares.length)
}
