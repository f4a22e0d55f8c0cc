import type { Archive, ArchiveShape } from './archive.ts'
import type { EngineConfig, LedgerEntry } from './campaign.ts'
import { GridArchive } from './grid.ts'
import { placeInArchive } from './judge.ts'

/** The archive that a ledger leads to. Equal, elite for elite, to the one the campaign built as it went. */
export function rebuild(config: EngineConfig, shape: ArchiveShape, entries: Iterable<LedgerEntry>): Archive {
  const archive = new GridArchive(shape, config.objectives)
  for (const { kind, ordinal, commit, tree, metrics, change } of entries) {
    if (kind === 'confirm') continue
    if (commit === undefined || tree === undefined || metrics === undefined || change === undefined) continue
    placeInArchive(archive, config, { ordinal, commit, tree, metrics, change })
  }
  return archive
}
