import { encodeVector } from '../core/space/embedding.ts'
import { directionOf, type EmbeddedFile, type FileStep, lengthOf, sumSteps } from './vectors.ts'

// Chosen by measurement (docs/reference/benchmarks.md, space). The direction says what a change is about, the magnitude
// how large it is. Separating them keeps large changes from drowning small ones, as they would in the plain difference.
const MAGNITUDE_WEIGHT = 0.5
const MAGNITUDE_SCALE = 10

/** The difference from the root: its direction, and its length on a logarithmic scale. */
export function encodeDelta(steps: readonly FileStep[], dimensions: number): string {
  const difference = sumSteps(steps, dimensions, weightOf)
  const magnitude = MAGNITUDE_WEIGHT * Math.log2(1 + MAGNITUDE_SCALE * lengthOf(difference))
  return encodeVector(directionOf(difference), magnitude)
}

/** How far one file moved. */
export function stepLength(step: FileStep, dimensions: number): number {
  return lengthOf(sumSteps([step], dimensions, weightOf))
}

/** The weight of a file, which grows slowly with its length. */
function weightOf({ lines }: EmbeddedFile): number {
  return Math.log2(1 + lines)
}
