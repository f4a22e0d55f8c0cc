import { Matrix, QR } from 'ml-matrix'
import { hashText } from '../hash.ts'
import type { Steps } from '../steps.ts'

/** Extra directions, because the last ones converge slowest. */
export const SPARE_DIRECTIONS = 10
const ITERATIONS = 6

/**
 * Orthonormal directions that hold most of the variance, by subspace iteration (Halko, Martinsson and Tropp 2011) from a
 * fixed start that depends only on the number of components. Returns `wanted` directions, or one per component if there
 * are fewer. Time is proportional to vectors × components; each step takes one direction through all vectors.
 */
export function* findSubspace(
  rows: readonly Float64Array[],
  mean: readonly number[],
  wanted: number,
): Steps<(readonly number[])[]> {
  const count = Math.min(wanted, mean.length)
  const centred = rows.map((row) => row.map((component, slot) => component - (mean[slot] ?? 0)))
  yield
  let basis = orthonormal(
    Array.from({ length: count }, (_, index) =>
      Float64Array.from(mean, (_, slot) => hashText(`direction ${index} ${slot}`) / 2 ** 31 - 1),
    ),
  )
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    const stretched: Float64Array[] = []
    for (const direction of basis) {
      yield
      stretched.push(stretch(centred, direction))
    }
    basis = orthonormal(stretched)
  }
  return basis.map((direction) => [...direction])
}

/** Multiplies a direction by the vectors' covariance, up to a factor. */
function stretch(rows: readonly Float64Array[], direction: Float64Array): Float64Array {
  const sum = new Float64Array(direction.length)
  for (const row of rows) {
    let along = 0
    for (let slot = 0; slot < row.length; slot++) along += (row[slot] ?? 0) * (direction[slot] ?? 0)
    for (let slot = 0; slot < row.length; slot++) sum[slot] = (sum[slot] ?? 0) + along * (row[slot] ?? 0)
  }
  return sum
}

function orthonormal(directions: readonly Float64Array[]): Float64Array[] {
  const { orthogonalMatrix } = new QR(new Matrix(directions.map((each) => [...each])).transpose())
  return orthogonalMatrix
    .transpose()
    .to2DArray()
    .map((direction) => Float64Array.from(direction))
}
