import type { FileVector } from './file-vectors.ts'

/** Adds a file's vector to a sum, in place and `times` times. A file that was left out adds nothing. */
export function addTo(sum: Float64Array, file: FileVector | undefined, times: number): void {
  if (file?.status !== 'embedded' || times === 0) return
  for (let index = 0; index < sum.length; index++) {
    sum[index] = (sum[index] ?? 0) + times * (file.vector[index] ?? 0)
  }
}

/** The embedded versions of a file before and after; undefined if it does not exist there. */
export interface FileStep {
  readonly path: string
  readonly before: FileVector | undefined
  readonly after: FileVector | undefined
}

export type EmbeddedFile = FileVector & { readonly status: 'embedded' }

// Summing in another order leaves residues of about 1e-16 of the sum. The smallest change of a file is far larger.
const LEAST_SHARE = 1e-9

/**
 * How far the files moved in total, weighted. Renamed files cancel out: the rounding residue is no direction, and scaled to
 * length 1 it would look like a change.
 */
export function sumSteps(
  steps: readonly FileStep[],
  dimensions: number,
  weightOf: (file: EmbeddedFile) => number,
): Float64Array {
  const sum = new Float64Array(dimensions)
  let weights = 0
  for (const { before, after } of steps) {
    for (const [file, sign] of [[after, 1] as const, [before, -1] as const]) {
      if (file?.status !== 'embedded') continue
      const weight = weightOf(file)
      addTo(sum, file, sign * weight)
      weights += weight
    }
  }
  return lengthOf(sum) > LEAST_SHARE * weights ? sum : new Float64Array(dimensions)
}

export function lengthOf(vector: ArrayLike<number>): number {
  let squares = 0
  for (let index = 0; index < vector.length; index++) squares += (vector[index] ?? 0) ** 2
  return Math.sqrt(squares)
}

/** A vector of length 1 in the same direction; the zero vector if there is no direction. */
export function directionOf(vector: Float64Array): Float64Array {
  const length = lengthOf(vector)
  return length > 0 ? vector.map((component) => component / length) : vector
}
