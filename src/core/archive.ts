import type { ArchiveShape, CellId } from './cells.ts'
import { type ChallengeOutcome, challenge, type Standing } from './challenge.ts'
import type { Descriptor } from './descriptor.ts'
import type { ValueInterval } from './measurement.ts'
import { type Objective, orientedPrimary, type Value } from './objective.ts'

/** A candidate that holds a cell. */
export interface Elite {
  readonly ordinal: number
  readonly commit: string
  readonly tree: string
  readonly value: Value
  /** Between what the value truly lies; undefined where it is exact. */
  readonly interval?: ValueInterval | undefined
  readonly descriptor: Descriptor
}

export interface Member {
  readonly cell: CellId
  readonly elite: Elite
}

/** What became of a candidate that asked for a place. */
export type AddStatus =
  | { readonly status: 'new-cell'; readonly cell: CellId }
  | { readonly status: 'improved'; readonly cell: CellId; readonly replaced: number }
  | {
      readonly status: 'refused'
      readonly reason: 'not-better' | 'tie' | 'close-call'
      readonly cell: CellId
      readonly holder: number
    }
  | { readonly status: 'refused'; readonly reason: 'value-not-finite' | 'descriptor-not-finite' }

/** Keeps the best candidates of every kind. How behaviour space is cut into cells is the implementation's own. */
export interface Archive {
  readonly shape: ArchiveShape
  readonly cellCount: number
  cellOf(descriptor: Descriptor): CellId
  /** The middle of a cell. */
  centreOf(cell: CellId): Descriptor
  add(elite: Elite): AddStatus
  /** Gives an elite the value that it was measured with again; nothing where it holds no cell any more. */
  remeasure(ordinal: number, standing: Standing): void
  /** All elites, in the order of their cells. */
  members(): readonly Member[]
  /** How many cells apart two niches are; 0 for the same one. */
  distance(a: CellId, b: CellId): number
  copy(): Archive
}

/**
 * The best elite: the oldest that no younger one stands out from. A younger one that is ahead by luck alone is not
 * better, however many there are. Undefined while the archive is empty.
 */
export function findBest(
  archive: Pick<Archive, 'members'>,
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
 * How a challenger stands to the holder of its cell. A close call is decided for it when it stands out from the best
 * of all, which the holder does not.
 */
export function challengeHolder(
  archive: Archive,
  objectives: readonly Objective[],
  { elite, holder }: { readonly elite: Elite; readonly holder: Elite },
): ChallengeOutcome {
  const outcome = challenge(elite, holder, objectives)
  if (outcome !== 'close-call') return outcome
  const best = findBest(archive, objectives)
  return best !== undefined && challenge(elite, best, objectives) === 'better' ? 'better' : outcome
}

export interface ArchiveStats {
  readonly elites: number
  /** Share of the cells that are held. */
  readonly coverage: number
  /** Sum over the cells of the first objective's gain on the baseline; a worse elite adds 0, so it never falls. */
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
  const gains = members.map(({ elite }) => Math.max(0, orientedPrimary(elite.value, objectives) - floor))
  return {
    elites: members.length,
    coverage: members.length / archive.cellCount,
    qdScore: gains.reduce((sum, gain) => sum + gain, 0),
  }
}
