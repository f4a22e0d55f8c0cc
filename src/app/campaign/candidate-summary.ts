import type { LedgerEntry } from '../../core/campaign/ledger.ts'
import { findLater, findLineage } from '../../core/planning/lineage.ts'
import type { CandidateHistory } from '../../reports/candidate/candidate-text.ts'
import type { Snapshot, StateStore } from '../../store/state-store.ts'

/** All finished candidates by ordinal. The state itself holds a short ledger. */
export async function readEntries(
  store: StateStore,
  snapshot: Snapshot,
): Promise<ReadonlyMap<number, LedgerEntry>> {
  const { count, tail } = snapshot.state.ledger
  const entries = new Map(tail.map((entry) => [entry.ordinal, entry]))
  if (entries.size === count) return entries
  for await (const entry of store.readLedger(snapshot)) entries.set(entry.ordinal, entry)
  return entries
}

/** Everything recorded about a candidate; undefined if none with this ordinal has finished. */
export async function findSummary(
  store: StateStore,
  snapshot: Snapshot,
  ordinal: number,
): Promise<CandidateHistory | undefined> {
  const entries = await readEntries(store, snapshot)
  const entry = entries.get(ordinal)
  if (entry === undefined || entry.kind === 'confirm') return undefined
  return { entry, lineage: findLineage(entry, entries), again: findLater(entries, ordinal) }
}
