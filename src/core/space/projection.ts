import type { AxisName } from './axis-names.ts'
import { type AxisBounds, positionOf } from './bounds.ts'

/** Maps vectors to positions on the learned axes (projection.json). */
export interface Projection {
  /** The number of fits that changed something; 0 before the first. */
  readonly version: number
  /** How many candidates had finished at the last fit. */
  readonly fittedAt: number
  readonly mean: readonly number[]
  /** One unit direction per axis. */
  readonly axes: readonly (readonly number[])[]
  readonly bounds: AxisBounds
  readonly names: readonly AxisName[]
  /** The share of the vectors' variance that the axes explain. */
  readonly kept: number
}

/** Before the first fit everything is in the middle of the space. */
export const UNFITTED: Projection = {
  version: 0,
  fittedAt: 0,
  mean: [],
  axes: [],
  bounds: { first: [], others: [] },
  names: [],
  kept: 0,
}

const MIDDLE = 0.5

/** The position of a vector on the learned axes, in [0, 1]; the middle if it is unknown. */
export function project(projection: Projection, vector: Float64Array | undefined, count: number): number[] {
  const { axes, mean, bounds } = projection
  if (vector === undefined || axes.length !== count || vector.length !== mean.length)
    return Array.from({ length: count }, () => MIDDLE)
  return positionOf(bounds, rawScores(axes, mean, vector))
}

/** The coordinates of a vector along the axes, before scaling. */
export function rawScores(
  axes: readonly (readonly number[])[],
  mean: readonly number[],
  vector: Float64Array,
): number[] {
  return axes.map((axis) => {
    let score = 0
    for (let index = 0; index < axis.length; index++) {
      score += (axis[index] ?? 0) * ((vector[index] ?? 0) - (mean[index] ?? 0))
    }
    return score
  })
}
