/** The name of an island: one of several separate archives. It is part of branch names. */
export type IslandId = string

/** The island of a campaign that has only one. */
export const MAIN_ISLAND: IslandId = 'main'

/** The islands of a campaign, in ring order. */
export function islandNames(count: number): readonly IslandId[] {
  return count === 1 ? [MAIN_ISLAND] : Array.from({ length: count }, (_, index) => `island-${index + 1}`)
}

/** The island for candidate `ordinal` (from 1), round-robin. Undefined if there is only one. */
export function islandFor(ordinal: number, islands: readonly IslandId[]): IslandId | undefined {
  return islands.length === 1 ? undefined : islands[(ordinal - 1) % islands.length]
}

/**
 * The island whose elite is shown to candidate `ordinal`: the previous one on the ring, every `migrateEvery` candidates
 * of an island. Elites do not move. An idea that spreads arrives as a child, which has to earn its cell.
 */
export function findDonorIsland(
  ordinal: number,
  islands: readonly IslandId[],
  migrateEvery: number,
): IslandId | undefined {
  const turn = Math.floor((ordinal - 1) / islands.length) + 1
  if (islands.length === 1 || turn % migrateEvery !== 0) return undefined
  return islands[(ordinal - 1 + islands.length - 1) % islands.length]
}
