/** The name of an island: an archive of its own beside others. It stands in branch names. */
export type IslandId = string

/** The only island of a campaign that has one. */
export const MAIN_ISLAND: IslandId = 'main'

/** The islands of a campaign, in the order of their ring. */
export function islandNames(count: number): readonly IslandId[] {
  return count === 1 ? [MAIN_ISLAND] : Array.from({ length: count }, (_, index) => `island-${index + 1}`)
}

/** The island that candidate `ordinal` (from 1) is planned for: they take turns. Undefined where there is but one. */
export function islandFor(ordinal: number, islands: readonly IslandId[]): IslandId | undefined {
  return islands.length === 1 ? undefined : islands[(ordinal - 1) % islands.length]
}

/**
 * The island whose elite candidate `ordinal` is shown: every so many candidates of an island, the one before it on the
 * ring. Nobody moves house: an idea that is taken up comes back as a child, which has to earn its cell.
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
