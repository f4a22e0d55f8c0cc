import type { LedgerEntry } from '../campaign/ledger.ts'

const MAX_STEPS = 6
const OLDEST_KEPT = 2

/** The candidate, its parent and so on to the root, as far as the given ledger lines reach. */
export function findLineage(entry: LedgerEntry, entries: ReadonlyMap<number, LedgerEntry>): LedgerEntry[] {
  const lineage: LedgerEntry[] = []
  for (
    let at: LedgerEntry | undefined = entry;
    at !== undefined;
    at = at.ordinal === 0 ? undefined : entries.get(at.parent)
  ) {
    lineage.push(at)
  }
  return lineage
}

/** The later measurements of a candidate, oldest first. */
export function findLater(entries: ReadonlyMap<number, LedgerEntry>, ordinal: number): LedgerEntry[] {
  return [...entries.values()].filter(
    ({ kind, parent, metrics }) => kind === 'confirm' && parent === ordinal && metrics !== undefined,
  )
}

/**
 * What a candidate and its ancestors did since they split from another candidate's line, oldest first. A long path keeps
 * its beginning and its end.
 */
export function findDistinctivePath(
  entries: ReadonlyMap<number, LedgerEntry>,
  ordinal: number,
  other: number,
): string[] {
  const start = entries.get(ordinal)
  const against = entries.get(other)
  if (start === undefined) return []
  const shared = new Set(against ? findLineage(against, entries).map((entry) => entry.ordinal) : [0])
  const own = findLineage(start, entries).filter((entry) => !shared.has(entry.ordinal))
  const steps = own.reverse().map((entry) => `${entry.ordinal}: ${entry.summary ?? 'no summary'}`)
  const leftOut = steps.length - MAX_STEPS
  if (leftOut <= 0) return steps
  return [
    ...steps.slice(0, OLDEST_KEPT),
    `(${leftOut} steps left out)`,
    ...steps.slice(OLDEST_KEPT + leftOut),
  ]
}
