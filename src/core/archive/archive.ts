import type { HeldOut } from '../measuring/held-out.ts'
import type { ValueInterval } from '../measuring/measurement.ts'
import { type Objective, orientedPrimary, type Value } from '../measuring/objective.ts'
import type { Descriptor } from '../space/descriptor.ts'
import type { ArchiveShape, CellId } from './cells.ts'
import { type ChallengeOutcome, challenge } from './comparison.ts'
import { type IslandId, MAIN_ISLAND } from './islands.ts'

/** A candidate that holds a cell. */
export interface Elite {
  readonly ordinal: number
  readonly commit: string
  readonly tree: string
  readonly value: Value
  /** Between what the value truly lies; undefined where it is exact. */
  readonly interval?: ValueInterval | undefined
  readonly descriptor: Descriptor
  /** The value comes from a measurement that nobody chose it for. */
  readonly confirmed?: true | undefined
  /** Elites that it stood out from in a duel. */
  readonly beats?: readonly number[] | undefined
  /** What is left of its gain on inputs that no agent has seen; undefined where that was not measured. */
  readonly heldOut?: HeldOut | undefined
}

/** A place in the archive. */
export interface Niche {
  readonly island: IslandId
  readonly cell: CellId
  /** From 1, the best on the first objective: cells hold several elites where there are several objectives. */
  readonly rank: number
}

export interface Member extends Niche {
  readonly elite: Elite
}

/** What became of a candidate that asked for a place. */
export type AddStatus =
  | { readonly status: 'new-cell'; readonly cell: CellId }
  | {
      readonly status: 'improved'
      readonly cell: CellId
      readonly replaced: number
      /** Further elites of the cell that it is better than. */
      readonly also?: readonly number[] | undefined
    }
  /** Neither better nor worse than the cell's elites; `dropped` had to go because there were too many. */
  | { readonly status: 'joined'; readonly cell: CellId; readonly dropped?: number | undefined }
  | {
      readonly status: 'refused'
      readonly reason: CellRefusal
      readonly cell: CellId
      readonly holder: number
    }
  | { readonly status: 'refused'; readonly reason: 'value-not-finite' | 'descriptor-not-finite' }

/** Why a cell was not given; `crowded`: its front is full of elites that differ more from each other. */
export const CELL_REFUSALS = ['not-better', 'tie', 'close-call', 'crowded'] as const
export type CellRefusal = (typeof CELL_REFUSALS)[number]

/** Keeps the best candidates of every kind. How behaviour space is cut into cells is the shape's own. */
export interface Archive {
  readonly shape: ArchiveShape
  readonly islands: readonly IslandId[]
  /** The cells of all islands together. */
  readonly cellCount: number
  cellOf(descriptor: Descriptor): CellId
  /** The middle of a cell. */
  centreOf(cell: CellId): Descriptor
  /** Asks for a place on an island, by default the first. */
  add(elite: Elite, island?: IslandId): AddStatus
  /** All elites, or those of an island: island by island, in the order of their cells. */
  members(island?: IslandId): readonly Member[]
  /** How many cells apart two niches are; 0 for the same one. */
  distance(a: CellId, b: CellId): number
  copy(): Archive
}

/** A niche as people and branches name it: `2-3`, its second elite `2-3.2`; with the island where there are several. */
export function nicheName({ island, cell, rank }: Niche): string {
  const place = rank === 1 ? cell : `${cell}.${rank}`
  return island === MAIN_ISLAND ? place : `${island}/${place}`
}

/**
 * The best elite: the oldest that no younger one stands out from. A younger one that is ahead by luck alone is not
 * better, however many there are. Of several objectives the first decides. Undefined while the archive is empty.
 */
export function findBest(
  archive: { members(): readonly { readonly elite: Elite }[] },
  objectives: readonly Objective[],
): Elite | undefined {
  const elites = archive.members().map(({ elite }) => elite)
  let best: Elite | undefined
  for (const elite of elites.sort((a, b) => a.ordinal - b.ordinal)) {
    if (best === undefined || challenge(elite, best, objectives) === 'better') best = elite
  }
  return best
}

/**
 * How a challenger stands to the holder of its cell. A close call is decided for it by a duel that it won, or when it
 * stands out from the best of all, which the holder does not.
 */
export function challengeHolder(
  archive: Pick<Archive, 'members'>,
  objectives: readonly Objective[],
  { elite, holder }: { readonly elite: Elite; readonly holder: Elite },
): ChallengeOutcome {
  const outcome = challenge(elite, holder, objectives)
  if (outcome !== 'close-call') return outcome
  if (elite.beats?.includes(holder.ordinal)) return 'better'
  const best = findBest(archive, objectives)
  return best !== undefined && challenge(elite, best, objectives) === 'better' ? 'better' : outcome
}

export interface ArchiveStats {
  readonly elites: number
  readonly cells: number
  /** Share of the cells that are held. */
  readonly coverage: number
  /**
   * Sum over the cells of the largest gain on the baseline that an elite there has on the first objective; a worse one
   * adds 0, so it never falls.
   */
  readonly qdScore: number
}

/** Coverage and QD score, measured from the baseline's value. */
export function measureArchive(
  archive: Archive,
  objectives: readonly Objective[],
  baseline: Value,
): ArchiveStats {
  const members = archive.members()
  const floor = orientedPrimary(baseline, objectives)
  const gains = new Map<string, number>()
  for (const { island, cell, elite } of members) {
    const key = `${island}/${cell}`
    const gain = orientedPrimary(elite.value, objectives) - floor
    gains.set(key, Math.max(0, gains.get(key) ?? 0, gain))
  }
  return {
    elites: members.length,
    cells: gains.size,
    coverage: gains.size / archive.cellCount,
    qdScore: [...gains.values()].reduce((sum, gain) => sum + gain, 0),
  }
}
