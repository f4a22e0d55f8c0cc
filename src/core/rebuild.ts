import type { Archive, ArchiveShape } from './archive.ts'
import type { EngineConfig, LedgerEntry } from './campaign.ts'
import { GridArchive } from './grid.ts'
import { placeInArchive } from './judge.ts'
import { findFailure } from './verdict.ts'

/** The archive that a ledger leads to. Equal, elite for elite, to the one the campaign built as it went. */
export function rebuild(config: EngineConfig, shape: ArchiveShape, entries: Iterable<LedgerEntry>): Archive {
  const archive = new GridArchive(shape, config.objectives)
  for (const entry of entries) {
    const { kind, ordinal, commit, tree, metrics, interval, change, verdict } = entry
    // What was refused for a fault (an impossible number in one run, say) asked for no place.
    if (kind === 'confirm' || findFailure(verdict) !== undefined) continue
    if (commit === undefined || tree === undefined || metrics === undefined || change === undefined) continue
    placeInArchive(archive, config, { ordinal, commit, tree, metrics, interval, change })
  }
  return archive
}
