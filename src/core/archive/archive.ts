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
  /** The confidence interval of the value; undefined for an exact value. */
  readonly interval?: ValueInterval | undefined
  readonly descriptor: Descriptor
  /** The value comes from an independent measurement, not from the one that selected it. */
  readonly confirmed?: true | undefined
  /** Elites that it beat in a duel. */
  readonly beats?: readonly number[] | undefined
  /** Its gain on held-out inputs; undefined if that was not measured. */
  readonly heldOut?: HeldOut | undefined
}

/** A slot in the archive. */
export interface Niche {
  readonly island: IslandId
  readonly cell: CellId
  /** Starts at 1, the best on the first objective. With several objectives a cell holds several elites. */
  readonly rank: number
}

export interface Member extends Niche {
  readonly elite: Elite
}

/** The outcome of offering a candidate to the archive. */
export type AddStatus =
  | { readonly status: 'new-cell'; readonly cell: CellId }
  | {
      readonly status: 'improved'
      readonly cell: CellId
      readonly replaced: number
      /** Other elites of the cell that it also beats. */
      readonly also?: readonly number[] | undefined
    }
  /** A trade-off beside the cell's other elites. `dropped` was evicted because the front was full. */
  | { readonly status: 'joined'; readonly cell: CellId; readonly dropped?: number | undefined }
  | {
      readonly status: 'refused'
      readonly reason: CellRefusal
      readonly cell: CellId
      readonly holder: number
    }
  | { readonly status: 'refused'; readonly reason: 'value-not-finite' | 'descriptor-not-finite' }

/** Why a cell was refused. `crowded`: the front is full of elites that differ more from each other. */
export const CELL_REFUSALS = ['not-better', 'tie', 'close-call', 'crowded'] as const
export type CellRefusal = (typeof CELL_REFUSALS)[number]

/** Keeps the best candidates of every kind. The shape defines how behaviour space is divided into cells. */
export interface Archive {
  readonly shape: ArchiveShape
  readonly islands: readonly IslandId[]
  /** The cells of all islands together. */
  readonly cellCount: number
  cellOf(descriptor: Descriptor): CellId
  /** The centre of a cell. */
  centreOf(cell: CellId): Descriptor
  /** Offers a candidate to an island, by default the first. */
  add(elite: Elite, island?: IslandId): AddStatus
  /** All elites, or those of one island, sorted by island and cell. */
  members(island?: IslandId): readonly Member[]
  /** The distance between two niches in cells; 0 for the same one. */
  distance(a: CellId, b: CellId): number
  copy(): Archive
}

/** The name of a niche in text and branch names: `2-3`, its second elite `2-3.2`, with the island if there are several. */
export function nicheName({ island, cell, rank }: Niche): string {
  const slot = rank === 1 ? cell : `${cell}.${rank}`
  return island === MAIN_ISLAND ? slot : `${island}/${slot}`
}

/**
 * The best elite: the oldest one that no younger elite beats beyond the noise. A younger elite that is ahead only by
 * chance does not count, however many there are. With several objectives the first decides. Undefined while the archive
 * is empty.
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
 * Compares a challenger with the holder of its cell. A close call goes to the challenger if it won a duel against the
 * holder, or if it beats the overall best beyond the noise, which the holder does not.
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
  /** Share of the cells that hold an elite. */
  readonly coverage: number
  /**
   * Sum over the cells of the largest gain over the baseline on the first objective. Losses count as 0, so the score
   * never falls.
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
