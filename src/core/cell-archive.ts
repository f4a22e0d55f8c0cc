import { type AddStatus, type Archive, challengeHolder, type Elite, type Member } from './archive.ts'
import type { ArchiveShape, CellId, Cells } from './cells.ts'
import type { Standing } from './challenge.ts'
import { CvtCells } from './cvt.ts'
import type { Descriptor } from './descriptor.ts'
import { GridCells } from './grid.ts'
import type { Objective } from './objective.ts'

/** An archive of the given shape with these members, each in its cell. */
export function createArchive(
  shape: ArchiveShape,
  objectives: readonly Objective[],
  members: readonly Member[] = [],
): Archive {
  const cells = shape.kind === 'grid' ? new GridCells(shape) : new CvtCells(shape)
  return new CellArchive(cells, objectives, members)
}

/** An archive with one elite a cell, whatever its cells are. */
class CellArchive implements Archive {
  readonly shape: ArchiveShape
  readonly cellCount: number
  readonly #cells: Cells
  readonly #objectives: readonly Objective[]
  readonly #elites: Map<CellId, Elite>
  /** All members in order, until something changes. */
  #members: readonly Member[] | undefined

  constructor(cells: Cells, objectives: readonly Objective[], members: readonly Member[]) {
    this.shape = cells.shape
    this.cellCount = cells.count
    this.#cells = cells
    this.#objectives = objectives
    this.#elites = new Map(members.map(({ cell, elite }) => [cell, elite]))
  }

  cellOf(descriptor: Descriptor): CellId {
    return this.#cells.cellOf(descriptor)
  }

  centreOf(cell: CellId): Descriptor {
    return this.#cells.centreOf(cell)
  }

  add(elite: Elite): AddStatus {
    if (!elite.value.every(Number.isFinite)) return { status: 'refused', reason: 'value-not-finite' }
    if (!elite.descriptor.every(Number.isFinite))
      return { status: 'refused', reason: 'descriptor-not-finite' }
    const cell = this.cellOf(elite.descriptor)
    const holder = this.#elites.get(cell)
    if (holder === undefined) {
      this.#set(cell, elite)
      return { status: 'new-cell', cell }
    }
    // Ties and close calls keep the older elite: replacing it would churn the branch without progress.
    const outcome = challengeHolder(this, this.#objectives, { elite, holder })
    if (outcome !== 'better') return { status: 'refused', reason: outcome, cell, holder: holder.ordinal }
    this.#set(cell, elite)
    return { status: 'improved', cell, replaced: holder.ordinal }
  }

  remeasure(ordinal: number, { value, interval }: Standing): void {
    for (const [cell, elite] of this.#elites) {
      if (elite.ordinal === ordinal) this.#set(cell, { ...elite, value, interval })
    }
  }

  members(): readonly Member[] {
    this.#members ??= [...this.#elites]
      .map(([cell, elite]) => ({ cell, elite }))
      .sort((a, b) => this.#cells.compare(a.cell, b.cell))
    return this.#members
  }

  distance(a: CellId, b: CellId): number {
    return this.#cells.distance(a, b)
  }

  copy(): Archive {
    return new CellArchive(this.#cells, this.#objectives, this.members())
  }

  #set(cell: CellId, elite: Elite): void {
    this.#elites.set(cell, elite)
    this.#members = undefined
  }
}
