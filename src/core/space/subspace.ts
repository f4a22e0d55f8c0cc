import { Matrix, QR } from 'ml-matrix'
import { hashText } from '../hash.ts'

/** More directions than are wanted: those at the end are found last. */
export const SPARE_DIRECTIONS = 10
const ROUNDS = 6

/**
 * Directions of length 1, at right angles to each other, that hold most of the spread of vectors around their mean: by
 * subspace iteration (Halko, Martinsson and Tropp 2011) from directions that are fixed by their number of components.
 * As many as wanted, or as there are components. Its time grows with vectors × components, whatever their spread is.
 */
export function findSubspace(
  rows: readonly Float64Array[],
  mean: readonly number[],
  wanted: number,
): (readonly number[])[] {
  const count = Math.min(wanted, mean.length)
  const centred = rows.map((row) => row.map((component, slot) => component - (mean[slot] ?? 0)))
  let basis = orthonormal(
    Array.from({ length: count }, (_, index) =>
      Float64Array.from(mean, (_, slot) => hashText(`direction ${index} ${slot}`) / 2 ** 31 - 1),
    ),
  )
  for (let round = 0; round < ROUNDS; round++) basis = orthonormal(stretch(centred, basis))
  return basis.map((direction) => [...direction])
}

/** What the vectors' covariance makes of directions, but for a factor. */
function stretch(rows: readonly Float64Array[], basis: readonly Float64Array[]): Float64Array[] {
  return basis.map((direction) => {
    const sum = new Float64Array(direction.length)
    for (const row of rows) {
      let along = 0
      for (let slot = 0; slot < row.length; slot++) along += (row[slot] ?? 0) * (direction[slot] ?? 0)
      for (let slot = 0; slot < row.length; slot++) sum[slot] = (sum[slot] ?? 0) + along * (row[slot] ?? 0)
    }
    return sum
  })
}

function orthonormal(directions: readonly Float64Array[]): Float64Array[] {
  const { orthogonalMatrix } = new QR(new Matrix(directions.map((each) => [...each])).transpose())
  return orthogonalMatrix
    .transpose()
    .to2DArray()
    .map((direction) => Float64Array.from(direction))
}
