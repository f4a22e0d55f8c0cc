import { encodeVector } from '../core/embedding.ts'
import type { FileVector } from './file-vectors.ts'
import type { FileStep } from './repo-state.ts'
import { addTo, directionOf, lengthOf } from './vectors.ts'

// Chosen by measurement (docs/benchmarks.md, space). The direction says what a change is about, the magnitude
// how much it changes: kept apart, large changes do not drown small ones, as they do in the plain difference.
const MAGNITUDE_WEIGHT = 0.5
const MAGNITUDE_SCALE = 10

/** The difference from the root: its direction, and its length on a logarithmic scale. */
export function encodeDelta(steps: readonly FileStep[], dimensions: number): string {
  const difference = new Float64Array(dimensions)
  for (const step of steps) addStep(difference, step)
  const magnitude = MAGNITUDE_WEIGHT * Math.log2(1 + MAGNITUDE_SCALE * lengthOf(difference))
  return encodeVector(directionOf(difference), magnitude)
}

/** How far one file moved. */
export function stepLength(step: FileStep, dimensions: number): number {
  const difference = new Float64Array(dimensions)
  addStep(difference, step)
  return lengthOf(difference)
}

function addStep(difference: Float64Array, { before, after }: FileStep): void {
  addTo(difference, after, weightOf(after))
  addTo(difference, before, -weightOf(before))
}

/** How much a file counts: slowly more when it is longer. */
function weightOf(file: FileVector | undefined): number {
  return file?.status === 'embedded' ? Math.log2(1 + file.lines) : 0
}
