import type { Archive } from '../core/archive.ts'
import type { CampaignState, LedgerEntry } from '../core/campaign.ts'
import { canonicalJson } from '../core/canonical-json.ts'
import type { ArchiveDocument } from '../protocol/campaign.ts'
import { createConfigDocument } from '../protocol/config-document.ts'
import { jobPath, SHARD_LINES, shardPath, treesPath } from './layout.ts'
import type { StoredCampaign } from './state-store.ts'

/** The version every document carries. A reader refuses a newer one. */
export const SCHEMA_VERSION = 1

/** All documents that a state determines, by path below the campaign's folder. */
export function encodeCampaign({ state, config }: StoredCampaign): Map<string, string> {
  const documents = new Map<string, string>()
  documents.set('campaign.json', encodeDocument(state.campaign))
  documents.set('config.json', encodeDocument(createConfigDocument(config)))
  documents.set('archive.json', encodeArchive(state.archive, state.campaign.epoch))
  for (const job of state.jobs.values()) documents.set(jobPath(job.ordinal), encodeDocument(job))
  for (const [path, text] of encodeLedger(state.ledger)) documents.set(path, text)
  for (const [part, trees] of state.trees) {
    if (trees.size > 0)
      documents.set(treesPath(part), [...trees].map(([tree, ordinal]) => `${tree} ${ordinal}\n`).join(''))
  }
  return documents
}

/** archive.json: no times and sorted keys, so that the same search gives the same bytes. */
export function encodeArchive(archive: Archive, epoch: number): string {
  const main: ArchiveDocument['islands']['main'] = {}
  for (const { cell, elite } of archive.members()) {
    main[cell] = [{ ...elite, value: [...elite.value], descriptor: [...elite.descriptor] }]
  }
  const { kind, sizes } = archive.shape
  const document: ArchiveDocument = {
    epoch,
    projection: 0,
    shape: { kind, sizes: [...sizes] },
    islands: { main },
  }
  return encodeDocument(document)
}

/** The number of the ledger file that line `index` belongs to. */
export function shardOf(index: number): number {
  return Math.floor(index / SHARD_LINES)
}

function encodeLedger({ count, tail }: CampaignState['ledger']): Map<string, string> {
  const shards = new Map<string, string>()
  for (const [position, entry] of tail.entries()) {
    const path = shardPath(shardOf(count - tail.length + position))
    shards.set(path, (shards.get(path) ?? '') + encodeEntry(entry))
  }
  return shards
}

function encodeEntry(entry: LedgerEntry): string {
  return `${canonicalJson({ schema: SCHEMA_VERSION, ...entry })}\n`
}

function encodeDocument(document: unknown): string {
  return `${canonicalJson({ schema: SCHEMA_VERSION, ...Object(document) }, 2)}\n`
}
