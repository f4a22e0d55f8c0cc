import type { EngineConfig } from '../campaign/engine-config.ts'
import type { Objective } from '../measuring/objective.ts'
import type { Descriptor } from '../space/descriptor.ts'
import {
  type AddStatus,
  type Archive,
  challengeHolder,
  type Elite,
  findBest,
  type Member,
} from './archive.ts'
import type { ArchiveShape, CellId, Cells } from './cells.ts'
import { CvtCells } from './cvt.ts'
import { type FrontOutcome, joinFront } from './front.ts'
import { GridCells } from './grid.ts'
import { type IslandId, islandNames, MAIN_ISLAND } from './islands.ts'

/** The rules that decide who holds a cell. */
export interface ArchiveRules {
  readonly objectives: readonly Objective[]
  /** The most elites a cell may hold with several objectives; 1 means that the first objective decides. */
  readonly front?: number
  readonly islands?: readonly IslandId[]
}

/** Reads the archive's rules from a campaign's config. */
export function archiveRules({
  objectives,
  search,
}: Pick<EngineConfig, 'objectives' | 'search'>): ArchiveRules {
  return { objectives, front: search.front, islands: islandNames(search.islands) }
}

/** Creates an archive of the given shape with these members. */
export function createArchive(
  shape: ArchiveShape,
  rules: ArchiveRules,
  members: readonly Member[] = [],
): Archive {
  const cells = shape.kind === 'grid' ? new GridCells(shape) : new CvtCells(shape)
  return new CellArchive(cells, rules, members)
}

/** An archive whose cells hold one elite or a Pareto front. */
class CellArchive implements Archive {
  readonly shape: ArchiveShape
  readonly islands: readonly IslandId[]
  readonly cellCount: number
  readonly #cells: Cells
  readonly #rules: ArchiveRules
  readonly #fronts: ReadonlyMap<IslandId, Map<CellId, readonly Elite[]>>
  /** Cached members of each island, sorted; cleared when the island changes. */
  readonly #members = new Map<IslandId, readonly Member[]>()

  constructor(cells: Cells, rules: ArchiveRules, members: readonly Member[]) {
    this.shape = cells.shape
    this.islands = rules.islands ?? [MAIN_ISLAND]
    this.cellCount = cells.count * this.islands.length
    this.#cells = cells
    this.#rules = rules
    this.#fronts = new Map(this.islands.map((island) => [island, new Map()]))
    for (const { island, cell, elite } of members) {
      const fronts = this.#frontsOf(island)
      fronts.set(cell, [...(fronts.get(cell) ?? []), elite])
    }
  }

  cellOf(descriptor: Descriptor): CellId {
    return this.#cells.cellOf(descriptor)
  }

  centreOf(cell: CellId): Descriptor {
    return this.#cells.centreOf(cell)
  }

  add(elite: Elite, island = this.islands[0] ?? MAIN_ISLAND): AddStatus {
    if (!elite.value.every(Number.isFinite)) return { status: 'refused', reason: 'value-not-finite' }
    if (!elite.descriptor.every(Number.isFinite))
      return { status: 'refused', reason: 'descriptor-not-finite' }
    const cell = this.cellOf(elite.descriptor)
    const front = this.#frontsOf(island).get(cell)
    if (front === undefined) {
      this.#set(island, cell, [elite])
      return { status: 'new-cell', cell }
    }
    const outcome = this.#challenge(front, elite, island)
    if (outcome.status === 'refused') return { ...outcome, cell }
    this.#set(island, cell, outcome.front)
    const [replaced, ...also] = outcome.replaced
    if (replaced === undefined) return { status: 'joined', cell, dropped: outcome.dropped }
    return { status: 'improved', cell, replaced, ...(also.length > 0 && { also }) }
  }

  members(island?: IslandId): readonly Member[] {
    if (island === undefined) return this.islands.flatMap((each) => this.members(each))
    const known = this.#members.get(island)
    if (known !== undefined) return known
    const members = [...this.#frontsOf(island)]
      .sort(([a], [b]) => this.#cells.compare(a, b))
      .flatMap(([cell, front]) => front.map((elite, index) => ({ island, cell, rank: index + 1, elite })))
    this.#members.set(island, members)
    return members
  }

  distance(a: CellId, b: CellId): number {
    return this.#cells.distance(a, b)
  }

  copy(): Archive {
    return new CellArchive(this.#cells, this.#rules, this.members())
  }

  #challenge(front: readonly Elite[], elite: Elite, island: IslandId): FrontOutcome {
    const { objectives, front: size = 1 } = this.#rules
    const [holder] = front
    const own = { members: () => this.members(island) }
    if (holder === undefined) return { status: 'joined', front: [elite], replaced: [] }
    if (size > 1 && objectives.length > 1)
      return joinFront(front, elite, { objectives, size, findBest: () => findBest(own, objectives) })
    // Ties and close calls keep the older elite: replacing it would churn the branch without progress.
    const outcome = challengeHolder(own, objectives, { elite, holder })
    if (outcome !== 'better') return { status: 'refused', reason: outcome, holder: holder.ordinal }
    return { status: 'joined', front: [elite], replaced: [holder.ordinal] }
  }

  #frontsOf(island: IslandId): Map<CellId, readonly Elite[]> {
    const fronts = this.#fronts.get(island)
    if (fronts === undefined) throw new RangeError(`CellArchive: there is no island ${island}`)
    return fronts
  }

  #set(island: IslandId, cell: CellId, front: readonly Elite[]): void {
    this.#frontsOf(island).set(cell, front)
    this.#members.delete(island)
  }
}
