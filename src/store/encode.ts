import type { Archive } from '../core/archive/archive.ts'
import type { CampaignState } from '../core/campaign/campaign.ts'
import { canonicalJson } from '../core/canonical-json.ts'
import type { Projection } from '../core/space/projection.ts'
import type { ArchiveDocument } from '../protocol/campaign.ts'
import { createConfigDocument } from '../protocol/config-document.ts'
import { jobPath, SHARD_LINES, shardPath, treesPath, vectorsPath } from './layout.ts'
import type { StoredCampaign } from './state-store.ts'

/** The version every document carries. A reader refuses a newer one. */
export const SCHEMA_VERSION = 1

/** Encodes a state as documents, by path below the campaign's folder. */
export function encodeCampaign({ state, config }: StoredCampaign): Map<string, string> {
  const documents = new Map<string, string>()
  documents.set('campaign.json', encodeDocument(state.campaign))
  documents.set('config.json', encodeDocument(createConfigDocument(config)))
  documents.set('archive.json', encodeArchive(state.archive, state.campaign.epoch, state.projection.version))
  documents.set('projection.json', encodeProjection(state.projection))
  for (const job of state.jobs.values()) documents.set(jobPath(job.ordinal), encodeDocument(job))
  for (const [path, text] of encodeLedger(state.ledger)) documents.set(path, text)
  // Lines of an older epoch are removed, because those trees may be evaluated again.
  const mark = state.campaign.epoch > 1 ? ` ${state.campaign.epoch}` : ''
  for (const [part, trees] of state.trees) {
    const lines = [...trees].map(([tree, ordinal]) => `${tree} ${ordinal}${mark}\n`)
    if (lines.length > 0) documents.set(treesPath(part), lines.join(''))
  }
  return documents
}

/** archive.json: no times and sorted keys, so that the same search gives the same bytes. */
export function encodeArchive(archive: Archive, epoch: number, projection = 0): string {
  const islands = archive.islands.map((island) => {
    const cells: ArchiveDocument['islands'][string] = {}
    for (const { cell, elite } of archive.members(island)) {
      const { beats, ...rest } = elite
      const stored = { ...rest, descriptor: [...elite.descriptor], ...(beats && { beats: [...beats] }) }
      cells[cell] = [...(cells[cell] ?? []), stored]
    }
    return [island, cells] as const
  })
  const document: ArchiveDocument = {
    epoch,
    projection,
    shape: archive.shape,
    islands: Object.fromEntries(islands),
  }
  return encodeDocument(document)
}

/** projection.json: like the archive, a function of the ledger. */
export function encodeProjection(projection: Projection): string {
  return encodeLine(projection)
}

/** The number of the ledger file that line `index` belongs to. */
export function shardOf(index: number): number {
  return Math.floor(index / SHARD_LINES)
}

function encodeLedger({ count, tail }: CampaignState['ledger']): Map<string, string> {
  const shards = new Map<string, string>()
  const append = (path: string, line: string): void => {
    shards.set(path, (shards.get(path) ?? '') + line)
  }
  for (const [position, entry] of tail.entries()) {
    const shard = shardOf(count - tail.length + position)
    const { embedding, ...line } = entry
    append(shardPath(shard), encodeLine(line))
    if (embedding !== undefined)
      append(vectorsPath(shard), encodeLine({ ordinal: entry.ordinal, ...embedding }))
  }
  return shards
}

function encodeLine(line: object): string {
  return `${canonicalJson({ schema: SCHEMA_VERSION, ...line })}\n`
}

function encodeDocument(document: unknown): string {
  return `${canonicalJson({ schema: SCHEMA_VERSION, ...Object(document) }, 2)}\n`
}
