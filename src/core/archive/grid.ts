import type { Descriptor } from '../space/descriptor.ts'
import type { ArchiveShape, CellId, Cells } from './cells.ts'

/** The boxes of an even grid over [0, 1] on every axis. */
export class GridCells implements Cells {
  readonly shape: ArchiveShape & { kind: 'grid' }
  readonly count: number
  /** All names, the last axis varying fastest. Cached: formatting them is most of the cost of an addition. */
  readonly #names: readonly CellId[]
  readonly #coordinates: ReadonlyMap<CellId, readonly number[]>

  constructor(shape: ArchiveShape & { kind: 'grid' }) {
    this.shape = shape
    const boxes = shape.sizes.reduce<number[][]>(
      (known, size) =>
        known.flatMap((box) => Array.from({ length: size }, (_, position) => [...box, position])),
      [[]],
    )
    this.count = boxes.length
    this.#names = boxes.map((box) => box.join('-'))
    this.#coordinates = new Map(boxes.map((box) => [box.join('-'), box]))
  }

  cellOf(descriptor: Descriptor): CellId {
    const { sizes } = this.shape
    let index = 0
    for (const [axis, size] of sizes.entries()) {
      const position = Math.floor((descriptor[axis] ?? 0) * size)
      index = index * size + Math.min(size - 1, Math.max(0, position))
    }
    return this.#names[index] ?? ''
  }

  centreOf(cell: CellId): Descriptor {
    return this.#at(cell).map((position, axis) => (position + 0.5) / (this.shape.sizes[axis] ?? 1))
  }

  /** Chebyshev: the largest difference on any axis. */
  distance(a: CellId, b: CellId): number {
    const other = this.#at(b)
    let most = 0
    for (const [axis, position] of this.#at(a).entries())
      most = Math.max(most, Math.abs(position - (other[axis] ?? 0)))
    return most
  }

  compare(a: CellId, b: CellId): number {
    const other = this.#at(b)
    for (const [axis, position] of this.#at(a).entries()) {
      const difference = position - (other[axis] ?? 0)
      if (difference !== 0) return difference
    }
    return 0
  }

  #at(cell: CellId): readonly number[] {
    return this.#coordinates.get(cell) ?? []
  }
}

/**
 * The sides of a grid with at most `cells` cells, as equal as possible. Earlier axes get the larger sides. Each side is
 * at least 2, because an axis with one part separates nothing.
 */
export function gridSizes(cells: number, axes: number): number[] {
  const sizes = Array.from({ length: axes }, () => Math.max(2, Math.floor(cells ** (1 / axes) + 1e-9)))
  for (let axis = 0; axis < axes; axis++) {
    const grown = sizes.with(axis, (sizes[axis] ?? 0) + 1)
    if (grown.reduce((product, size) => product * size, 1) <= cells) sizes[axis] = grown[axis] ?? 0
  }
  return sizes
}
