import type { LedgerEntry } from '../../src/core/campaign/ledger.ts'
import { rngFor } from '../../src/core/rng.ts'
import { decodeVector } from '../../src/core/space/embedding.ts'
import { type Projection, project } from '../../src/core/space/projection.ts'
import { median } from '../bench.ts'
import type { Played, Refit } from './play.ts'

const AXES = 2

/** Where candidates lie under a projection, in the order of the given entries. */
export function positionsOf(projection: Projection, entries: readonly LedgerEntry[]): number[][] {
  return entries.map(({ embedding }) =>
    project(projection, embedding && decodeVector(embedding.vector), AXES),
  )
}

/** Entries of candidates that were described. */
export function describedOf({ entries }: Played): LedgerEntry[] {
  return entries.filter(({ kind, embedding }) => kind === 'candidate' && embedding !== undefined)
}

/** Share of the elites before a refit that lie in another cell after it. The root has no place of its own. */
export function changedShare({ before, after }: Refit, entries: readonly LedgerEntry[]): number {
  const byOrdinal = new Map(entries.map((entry) => [entry.ordinal, entry]))
  const elites = before.archive.members().filter(({ elite }) => elite.ordinal !== 0)
  const moved = elites.filter(({ cell, elite }) => {
    const entry = byOrdinal.get(elite.ordinal)
    const [position = []] = entry ? positionsOf(after.projection, [entry]) : []
    return after.archive.cellOf(position) !== cell
  })
  return elites.length === 0 ? 0 : moved.length / elites.length
}

/**
 * How evenly the last quarter of the candidates is spread: the effective number of cells that they fall into
 * (the exponential of the entropy), as a share of what so many candidates would have if they fell evenly at random.
 */
export function lateSpread(played: Played): number {
  const { archive, projection } = played.state
  const late = describedOf(played)
  const positions = positionsOf(projection, late.slice(-Math.floor(late.length / 4)))
  const rng = rngFor(1, 0, 'even')
  const even = positions.map(() => [rng.unit(), rng.unit()])
  const effective = (rows: readonly number[][]): number =>
    effectiveCells(rows.map((row) => archive.cellOf(row)))
  return effective(positions) / effective(even)
}

function effectiveCells(cells: readonly string[]): number {
  const counts = new Map<string, number>()
  for (const cell of cells) counts.set(cell, (counts.get(cell) ?? 0) + 1)
  const shares = [...counts.values()].map((count) => count / cells.length)
  return Math.exp(-shares.reduce((sum, share) => sum + share * Math.log(share), 0))
}

const PAIRS = 2000

/** The median distance between two candidates' vectors, as one minus the cosine. */
export function medianDistance(played: Played): number {
  const vectors = describedOf(played).flatMap(({ embedding }) => decodeVector(embedding?.vector ?? '') ?? [])
  const rng = rngFor(1, 0, 'pairs')
  const distances = Array.from({ length: PAIRS }, () => {
    const [a, b] = [vectors[rng.int(vectors.length)], vectors[rng.int(vectors.length)]]
    if (a === undefined || b === undefined) throw new RangeError('medianDistance: there are no vectors')
    // The vectors of whole repositories are kept as differences of unit vectors: half the squared distance is 1 − cos.
    const squares = a.subarray(0, -1).reduce((sum, value, index) => sum + (value - (b[index] ?? 0)) ** 2, 0)
    return squares / 2
  })
  return median(distances)
}
