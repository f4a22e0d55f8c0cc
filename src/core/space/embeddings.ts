import type { LedgerEntry } from '../campaign/ledger.ts'
import { epochOf } from '../measuring/figures.ts'
import type { Embedding, Space } from './embedding.ts'

/** Whether a line belongs to the current space. Vectors of an older embedder are not comparable. */
export function isOfSpace(entry: Pick<LedgerEntry, 'epoch'>, space: Space | undefined): boolean {
  return space === undefined || epochOf(entry) >= space.since
}

/** The latest embedding of each candidate by ordinal, in the order of their first embedding. */
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
