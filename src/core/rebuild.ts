import type { Archive } from './archive.ts'
import type { CampaignState, LedgerEntry } from './campaign.ts'
import { archiveRules, createArchive } from './cell-archive.ts'
import type { ArchiveShape } from './cells.ts'
import type { Control } from './control.ts'
import { type Placing, placeInArchive, remeasure } from './judge.ts'
import { withControl } from './pulls.ts'
import { isHistoryDue, type Learning, learnProjection } from './space/learn.ts'
import type { Projection } from './space/projection.ts'
import { findFailure } from './verdict.ts'

/** What a campaign's history leads to. */
export interface Rebuilt {
  readonly archive: Archive
  readonly projection: Projection
}

/** What decides its axes and how its archive is cut, which are fixed when it begins; and what people declined. */
export interface Begun extends Learning {
  readonly campaign: Learning['campaign'] & { readonly control: Pick<Control, 'declined'> }
  readonly archive: Pick<Archive, 'shape' | 'cellCount'>
}

/** Projection and archive from a ledger alone: equal, elite for elite, to those the campaign made as it went. */
export function rebuild(begun: Begun, entries: readonly LedgerEntry[]): Rebuilt {
  const { config, campaign, archive } = begun
  const projection = learnProjection(begun, entries)
  const wanted = wantedOf(entries, campaign.control)
  return { projection, archive: placeAll({ config, projection }, archive.shape, wanted) }
}

/** Takes in the history that a tick asked for. One that is not whole, or that nobody waits for, changes nothing. */
export function takeHistory(state: CampaignState, entries: readonly LedgerEntry[]): CampaignState {
  if (!isHistoryDue(state) || entries.length !== state.ledger.count) return state
  const { config, campaign, archive } = state
  const projection = learnProjection(state, entries, state.projection)
  const isRefitted = projection.version !== state.projection.version
  if (!isRefitted && campaign.control.rebuildDue !== true) return { ...state, projection }
  const wanted = wantedOf(entries, campaign.control)
  const rebuilt = placeAll({ config, projection }, archive.shape, wanted)
  return withControl({ ...state, projection, archive: rebuilt }, { rebuildDue: undefined })
}

// What people declined never had a place: the next best of its cell has it.
function wantedOf(
  entries: readonly LedgerEntry[],
  { declined }: Pick<Control, 'declined'>,
): readonly LedgerEntry[] {
  const unwanted = new Set(declined)
  return entries.filter(({ ordinal, kind }) => kind === 'confirm' || !unwanted.has(ordinal))
}

function placeAll(placing: Placing, shape: ArchiveShape, entries: readonly LedgerEntry[]): Archive {
  const archive = createArchive(shape, archiveRules(placing.config))
  for (const entry of entries) {
    const { kind, commit, tree, metrics, change, verdict } = entry
    // What was refused for a fault (an impossible number in one run, say) asked for no place.
    if (findFailure(verdict) !== undefined || metrics === undefined) continue
    if (verdict.status === 'confirmed')
      remeasure(archive, placing.config, { of: verdict.of, metrics, interval: entry.interval })
    if (kind === 'confirm' || commit === undefined || tree === undefined || change === undefined) continue
    placeInArchive(archive, placing, { ...entry, commit, tree, metrics, change })
  }
  return archive
}
