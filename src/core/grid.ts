import type { ArchiveShape, CellId, Cells } from './cells.ts'
import type { Descriptor } from './descriptor.ts'

/** The boxes of an even grid over [0, 1] on every axis. */
export class GridCells implements Cells {
  readonly shape: ArchiveShape & { kind: 'grid' }
  readonly count: number

  constructor(shape: ArchiveShape & { kind: 'grid' }) {
    this.shape = shape
    this.count = shape.sizes.reduce((product, size) => product * size, 1)
  }

  cellOf(descriptor: Descriptor): CellId {
    const coordinates = this.shape.sizes.map((size, axis) => {
      const position = Math.floor((descriptor[axis] ?? 0) * size)
      return Math.min(size - 1, Math.max(0, position))
    })
    return coordinates.join('-')
  }

  centreOf(cell: CellId): Descriptor {
    return coordinatesOf(cell).map((position, axis) => (position + 0.5) / (this.shape.sizes[axis] ?? 1))
  }

  /** Chebyshev: the largest difference on any axis. */
  distance(a: CellId, b: CellId): number {
    const other = coordinatesOf(b)
    return Math.max(...coordinatesOf(a).map((position, axis) => Math.abs(position - (other[axis] ?? 0))))
  }

  compare(a: CellId, b: CellId): number {
    const other = coordinatesOf(b)
    for (const [axis, position] of coordinatesOf(a).entries()) {
      const difference = position - (other[axis] ?? 0)
      if (difference !== 0) return difference
    }
    return 0
  }
}

/**
 * Sides of a grid with at most `cells` cells, as equal as they can be; earlier axes get the larger sides.
 * A side is at least 2: an axis that does not divide is no axis.
 */
export function gridSizes(cells: number, axes: number): number[] {
  const sizes = Array.from({ length: axes }, () => Math.max(2, Math.floor(cells ** (1 / axes) + 1e-9)))
  for (let axis = 0; axis < axes; axis++) {
    const grown = sizes.with(axis, (sizes[axis] ?? 0) + 1)
    if (grown.reduce((product, size) => product * size, 1) <= cells) sizes[axis] = grown[axis] ?? 0
  }
  return sizes
}

function coordinatesOf(cell: CellId): number[] {
  return cell.split('-').map(Number)
}
