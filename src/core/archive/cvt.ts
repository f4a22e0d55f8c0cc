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
// Of a squared distance: centroids that move less are settled.
const TOLERANCE = 1e-6

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
  return clusterByMeans(samples, count, axes)
    .map((centroid) => centroid.map((position) => Number(position.toFixed(4))))
    .sort(compareCentroids)
}

/**
 * Lloyd's k-means from the first `count` samples: O(iterations × samples × count). Ties go to the first centroid. All
 * positions lie in one array, which makes it several times as fast as an array for each.
 */
function clusterByMeans(samples: readonly Descriptor[], count: number, axes: number): number[][] {
  const positions = Float64Array.from(samples.flat())
  let centroids = positions.slice(0, count * axes)
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    const moved = moveToMeans(centroids, positions, axes)
    const isSettled = isNear(moved, centroids, axes)
    centroids = moved
    if (isSettled) break
  }
  return Array.from({ length: count }, (_, index) => [
    ...centroids.subarray(index * axes, (index + 1) * axes),
  ])
}

function moveToMeans(
  centroids: Float64Array,
  positions: Float64Array,
  axes: number,
): Float64Array<ArrayBuffer> {
  const means = new Float64Array(centroids.length)
  const sizes = new Uint32Array(centroids.length / axes)
  const position = new Float64Array(axes)
  for (let from = 0; from < positions.length; from += axes) {
    for (let axis = 0; axis < axes; axis++) position[axis] = positions[from + axis] ?? 0
    const nearest = findNearest(centroids, position)
    for (let axis = 0; axis < axes; axis++)
      means[nearest + axis] = (means[nearest + axis] ?? 0) + (position[axis] ?? 0)
    sizes[nearest / axes] = (sizes[nearest / axes] ?? 0) + 1
  }
  for (let at = 0; at < means.length; at++) {
    const size = sizes[Math.floor(at / axes)] ?? 0
    means[at] = size === 0 ? (centroids[at] ?? 0) : (means[at] ?? 0) / size
  }
  return means
}

// Where in the array the nearest centroid begins.
function findNearest(centroids: Float64Array, position: Float64Array): number {
  const axes = position.length
  let nearest = 0
  let least = Number.POSITIVE_INFINITY
  for (let start = 0; start < centroids.length; start += axes) {
    let distance = 0
    for (let axis = 0; axis < axes; axis++) {
      const apart = (centroids[start + axis] ?? 0) - (position[axis] ?? 0)
      distance += apart * apart
    }
    if (distance >= least) continue
    nearest = start
    least = distance
  }
  return nearest
}

function isNear(a: Float64Array, b: Float64Array, axes: number): boolean {
  for (let start = 0; start < a.length; start += axes) {
    const end = start + axes
    if (squaredDistance([...a.subarray(start, end)], [...b.subarray(start, end)]) > TOLERANCE) return false
  }
  return true
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
