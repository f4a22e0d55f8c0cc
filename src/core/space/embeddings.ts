import type { LedgerEntry } from '../campaign/ledger.ts'
import { epochOf } from '../measuring/figures.ts'
import type { Embedding, Space } from './embedding.ts'

/** Whether a line describes something in the space of now: an older embedder's vectors mean nothing in it. */
export function isOfSpace(entry: Pick<LedgerEntry, 'epoch'>, space: Space | undefined): boolean {
  return space === undefined || epochOf(entry) >= space.since
}

/** What each candidate is known by, by ordinal, in the order in which they were first described; the latest counts. */
export function findEmbeddings(
  entries: readonly LedgerEntry[],
  space: Space | undefined,
): ReadonlyMap<number, Embedding> {
  const embeddings = new Map<number, Embedding>()
  for (const entry of entries) {
    const { kind, ordinal, parent, embedding } = entry
    if (embedding !== undefined && isOfSpace(entry, space))
      embeddings.set(kind === 'candidate' ? ordinal : parent, embedding)
  }
  return embeddings
}
