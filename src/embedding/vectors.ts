import type { FileVector } from './file-vectors.ts'

/** Adds a file's vector so many times to a sum, in place; one that was left out adds nothing. */
export function addTo(sum: Float64Array, file: FileVector | undefined, times: number): void {
  if (file?.status !== 'embedded' || times === 0) return
  for (let index = 0; index < sum.length; index++) {
    sum[index] = (sum[index] ?? 0) + times * (file.vector[index] ?? 0)
  }
}

export function lengthOf(vector: ArrayLike<number>): number {
  let squares = 0
  for (let index = 0; index < vector.length; index++) squares += (vector[index] ?? 0) ** 2
  return Math.sqrt(squares)
}

/** A vector of the same direction and of length 1; without a direction, the zero vector. */
export function directionOf(vector: Float64Array): Float64Array {
  const length = lengthOf(vector)
  return length > 0 ? vector.map((component) => component / length) : vector
}
