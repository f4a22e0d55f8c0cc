import {
  type AddStatus,
  type Archive,
  type ArchiveShape,
  type CellId,
  challengeHolder,
  type Elite,
  type Member,
} from './archive.ts'
import type { Standing } from './challenge.ts'
import type { Descriptor } from './descriptor.ts'
import type { Objective } from './objective.ts'

/** An archive whose cells are the boxes of an even grid over [0, 1] on every axis, with one elite a cell. */
export class GridArchive implements Archive {
  readonly shape: ArchiveShape
  readonly cellCount: number
  readonly #objectives: readonly Objective[]
  readonly #elites: Map<CellId, Elite>

  constructor(shape: ArchiveShape, objectives: readonly Objective[], members: readonly Member[] = []) {
    this.shape = shape
    this.cellCount = shape.sizes.reduce((product, size) => product * size, 1)
    this.#objectives = objectives
    this.#elites = new Map(members.map(({ cell, elite }) => [cell, elite]))
  }

  cellOf(descriptor: Descriptor): CellId {
    const coordinates = this.shape.sizes.map((size, axis) => {
      const position = Math.floor((descriptor[axis] ?? 0) * size)
      return Math.min(size - 1, Math.max(0, position))
    })
    return coordinates.join('-')
  }

  add(elite: Elite): AddStatus {
    if (!elite.value.every(Number.isFinite)) return { status: 'refused', reason: 'value-not-finite' }
    if (!elite.descriptor.every(Number.isFinite))
      return { status: 'refused', reason: 'descriptor-not-finite' }
    const cell = this.cellOf(elite.descriptor)
    const holder = this.#elites.get(cell)
    if (holder === undefined) {
      this.#elites.set(cell, elite)
      return { status: 'new-cell', cell }
    }
    // Ties and close calls keep the older elite: replacing it would churn the branch without progress.
    const outcome = challengeHolder(this, this.#objectives, { elite, holder })
    if (outcome !== 'better') return { status: 'refused', reason: outcome, cell, holder: holder.ordinal }
    this.#elites.set(cell, elite)
    return { status: 'improved', cell, replaced: holder.ordinal }
  }

  remeasure(ordinal: number, { value, interval }: Standing): void {
    for (const [cell, elite] of this.#elites) {
      if (elite.ordinal === ordinal) this.#elites.set(cell, { ...elite, value, interval })
    }
  }

  members(): readonly Member[] {
    const members = [...this.#elites].map(([cell, elite]) => ({ cell, elite }))
    return members.sort((a, b) => compareCells(coordinatesOf(a.cell), coordinatesOf(b.cell)))
  }

  /** Chebyshev: the largest difference on any axis. */
  distance(a: CellId, b: CellId): number {
    const other = coordinatesOf(b)
    return Math.max(...coordinatesOf(a).map((position, axis) => Math.abs(position - (other[axis] ?? 0))))
  }

  copy(): Archive {
    return new GridArchive(this.shape, this.#objectives, this.members())
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

function compareCells(a: readonly number[], b: readonly number[]): number {
  for (const [axis, position] of a.entries()) {
    const difference = position - (b[axis] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
