import type { LedgerEntry } from '../core/campaign/ledger.ts'
import { decodeLedger, decodeTrees, LedgerCheck } from './decode.ts'
import { shardOf } from './encode.ts'
import { campaignFolder, SHARD_LINES, shardPath, treesPath, vectorsPath } from './layout.ts'
import type { Change, Revision, Snapshot } from './state-store.ts'

/** Document texts by path below a campaign's folder; undefined for a removed document. */
export type DocumentEdits = ReadonlyMap<string, string | undefined>

/** Reads the existing documents among these paths of a campaign's folder. */
export type DocumentReader = (
  folder: string,
  paths: readonly string[],
) => Promise<ReadonlyMap<string, string>>

/** The documents that a load reads, chosen by the names in `jobs/` and `ledger/`. Never the whole history. */
export function documentsToLoad(
  jobs: readonly string[],
  ledger: readonly string[],
): { readonly paths: readonly string[]; readonly shard: number } {
  const shard = Math.max(0, ledger.length - 1)
  const paths = [
    ...['campaign.json', 'config.json', 'archive.json', 'projection.json'],
    ...[shardPath(shard), vectorsPath(shard)],
  ]
  return { paths: [...paths, ...jobs.map((name) => `jobs/${name}`)], shard }
}

/** The documents that differ from those the change is based on. */
export function findEdits(
  base: Revision | undefined,
  documents: ReadonlyMap<string, string>,
): Map<string, string | undefined> {
  const known = base?.documents ?? new Map<string, string>()
  const edits = new Map<string, string | undefined>(
    [...documents].filter(([path, text]) => known.get(path) !== text),
  )
  for (const path of known.keys()) {
    if (path.startsWith('jobs/') && !documents.has(path)) edits.set(path, undefined)
  }
  return edits
}

/** The snapshot with the parts of the tree index that these trees belong to. */
export async function readTreeIndex(
  snapshot: Snapshot,
  trees: readonly string[],
  read: DocumentReader,
): Promise<Snapshot> {
  const { revision, state } = snapshot
  const parts = [...new Set(trees.map((tree) => tree.slice(0, 2)))]
  const found: ReadonlyMap<string, string> =
    revision.folder === undefined ? new Map() : await read(revision.folder, parts.map(treesPath))
  const folder = campaignFolder(state.campaign.id)
  const index = parts.map((part) => {
    const path = treesPath(part)
    const text = found.get(path) ?? ''
    return [part, decodeTrees({ folder, path }, text, state.campaign.epoch)] as const
  })
  const documents = new Map([...revision.documents, ...found])
  return { ...snapshot, state: { ...state, trees: new Map(index) }, revision: { ...revision, documents } }
}

/** All finished candidates, oldest first, one ledger file at a time; their embeddings only when asked for. */
export async function* readShards(
  { state, revision }: Snapshot,
  read: DocumentReader,
  withEmbeddings: boolean,
): AsyncIterable<LedgerEntry> {
  const folder = campaignFolder(state.campaign.id)
  if (revision.folder === undefined) return
  const check = new LedgerCheck(folder, state.campaign, new Set(state.jobs.keys()))
  for (let shard = 0; shard * SHARD_LINES < state.ledger.count; shard++) {
    const paths = [shardPath(shard), ...(withEmbeddings ? [vectorsPath(shard)] : [])]
    const lines = decodeLedger(folder, await read(revision.folder, paths), shard)
    check.accept(shard, lines)
    yield* lines
  }
}

/**
 * The committed state as the next tick needs it. Full ledger files and index parts are dropped from memory; a tick reads
 * those it needs.
 */
export function snapshotOf(change: Change, revision: Revision): Snapshot {
  const { count, tail } = change.state.ledger
  const open = tail.slice(tail.length - (count - shardOf(count) * SHARD_LINES))
  const state = { ...change.state, ledger: { count, tail: open }, trees: new Map() }
  return { state, config: change.config, revision }
}
