import { kmeans } from 'ml-kmeans'
import { rngFor } from '../rng.ts'
import type { Descriptor } from '../space/descriptor.ts'
import type { ArchiveShape, CellId, Cells } from './cells.ts'

/**
 * The cells of a centroidal Voronoi tessellation. Each position belongs to the nearest centroid; ties go to the first.
 * Centroids are sorted by their first axis, so a lookup only visits those near the position.
 */
export class CvtCells implements Cells {
  readonly shape: ArchiveShape & { kind: 'cvt' }
  readonly count: number
  readonly #names: readonly CellId[]
  readonly #spacing: number

  constructor(shape: ArchiveShape & { kind: 'cvt' }) {
    const { centroids } = shape
    this.shape = shape
    this.count = centroids.length
    this.#names = centroids.map((_, index) => `${index}`)
    const [, ...further] = centroids[0] ?? []
    this.#spacing = 1 / rootOf(this.count, 1 + further.length)
  }

  cellOf(descriptor: Descriptor): CellId {
    return this.#names[this.#nearest(descriptor)] ?? '0'
  }

  centreOf(cell: CellId): Descriptor {
    return this.shape.centroids[Number(cell)] ?? []
  }

  /** Euclidean distance in units of an average cell's width: neighbours are about 1 apart. */
  distance(a: CellId, b: CellId): number {
    if (a === b) return 0
    const apart = Math.sqrt(squaredDistance(this.centreOf(a), this.centreOf(b)))
    return Math.max(1, Math.round(apart / this.#spacing))
  }

  compare(a: CellId, b: CellId): number {
    return Number(a) - Number(b)
  }

  #nearest(descriptor: Descriptor): number {
    const { centroids } = this.shape
    const [x = 0] = descriptor
    const start = this.#firstBeyond(x)
    let nearest = 0
    let least = Number.POSITIVE_INFINITY
    // Search outwards, right then left, until the first axis alone is further away than the nearest centroid.
    for (const step of [1, -1]) {
      for (let index = step > 0 ? start : start - 1; index >= 0 && index < this.count; index += step) {
        const centroid = centroids[index] ?? []
        if (((centroid[0] ?? 0) - x) ** 2 > least) break
        const distance = squaredDistance(centroid, descriptor)
        if (distance > least || (distance === least && index > nearest)) continue
        nearest = index
        least = distance
      }
    }
    return nearest
  }

  #firstBeyond(x: number): number {
    let low = 0
    let high = this.count
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.shape.centroids[middle]?.[0] ?? 0) < x) low = middle + 1
      else high = middle
    }
    return low
  }
}

const SAMPLES_A_CELL = 20
const MOST_SAMPLES = 10_000
const ITERATIONS = 30

// Steps of the low-discrepancy sequence that fills a line, a square and a cube most evenly (the golden ratio and its
// generalisations). Such points cover the space with far fewer samples than random ones.
const STEPS: readonly (readonly number[])[] = [
  [0.618033988749895],
  [0.754877666246693, 0.569840290998053],
  [0.819172513396164, 0.671043606703789, 0.549700477901969],
]

/**
 * Centroids of `count` cells of about equal size in the unit cube with 1 to 3 axes, by k-means. The same seed gives the
 * same centroids. They are rounded, so that machines agree, and stored with the archive.
 */
export function createCentroids(count: number, axes: number, seed: number): Descriptor[] {
  const rng = rngFor(seed, 0, 'cells')
  const steps = STEPS[axes - 1]
  if (steps === undefined) throw new RangeError(`createCentroids: ${axes} axes cannot be tessellated`)
  const from = steps.map(() => rng.unit())
  const samples = Array.from(
    { length: Math.max(count, Math.min(MOST_SAMPLES, count * SAMPLES_A_CELL)) },
    (_, index) => steps.map((step, axis) => ((from[axis] ?? 0) + index * step) % 1),
  )
  const initialization = samples.slice(0, count)
  const { centroids } = kmeans(samples, count, { initialization, maxIterations: ITERATIONS })
  return centroids
    .map((centroid) => centroid.map((position) => Number(position.toFixed(4))))
    .sort(compareCentroids)
}

function compareCentroids(a: readonly number[], b: readonly number[]): number {
  return (a[0] ?? 0) - (b[0] ?? 0) || (a[1] ?? 0) - (b[1] ?? 0) || (a[2] ?? 0) - (b[2] ?? 0)
}

function squaredDistance(a: Descriptor, b: Descriptor): number {
  let sum = 0
  for (let axis = 0; axis < a.length; axis++) sum += ((a[axis] ?? 0) - (b[axis] ?? 0)) ** 2
  return sum
}

function rootOf(count: number, axes: number): number {
  return axes === 1 ? count : axes === 2 ? Math.sqrt(count) : Math.cbrt(count)
}
