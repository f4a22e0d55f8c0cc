import type { AxisName } from './axis-names.ts'
import { type AxisBounds, positionOf } from './bounds.ts'

/** How vectors become positions on the learned axes: projection.json. */
export interface Projection {
  /** Counts the fits that changed something; 0 before the first. */
  readonly version: number
  /** How many candidates had finished when the history was last looked at. */
  readonly fittedAt: number
  readonly mean: readonly number[]
  /** One direction of length 1 an axis. */
  readonly axes: readonly (readonly number[])[]
  readonly bounds: AxisBounds
  readonly names: readonly AxisName[]
  /** Share of the vectors' variance that the axes keep. */
  readonly kept: number
}

/** Before the first fit nothing is known of the space: everything is in its middle. */
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

/** Where a vector lies on the learned axes, in [0, 1]; in the middle when it cannot be told. */
export function project(projection: Projection, vector: Float64Array | undefined, count: number): number[] {
  const { axes, mean, bounds } = projection
  if (vector === undefined || axes.length !== count || vector.length !== mean.length)
    return Array.from({ length: count }, () => MIDDLE)
  return positionOf(bounds, rawScores(axes, mean, vector))
}

/** The coordinates of a vector along the axes, before they are scaled. */
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
