import type { Archive, ArchiveShape } from './archive.ts'
import type { CampaignState, EngineConfig, LedgerEntry } from './campaign.ts'
import { GridArchive } from './grid.ts'
import { type Placing, placeInArchive, remeasure } from './judge.ts'
import { type FitSchedule, isRefitDue, learnProjection } from './space/learn.ts'
import type { Projection } from './space/projection.ts'
import { findFailure } from './verdict.ts'

/** What a campaign's history leads to. */
export interface Rebuilt {
  readonly archive: Archive
  readonly projection: Projection
}

/** Of a campaign only what is fixed when it begins: its config, when it fits axes, how its archive is cut. */
export interface Begun {
  readonly config: EngineConfig
  readonly campaign: FitSchedule
  readonly archive: { readonly shape: ArchiveShape }
}

/** Projection and archive from a ledger alone: equal, elite for elite, to those the campaign made as it went. */
export function rebuild({ config, campaign, archive }: Begun, entries: readonly LedgerEntry[]): Rebuilt {
  const projection = learnProjection(config, campaign, entries)
  return { projection, archive: placeAll({ config, projection }, archive.shape, entries) }
}

/** Takes in the history that a tick asked for. One that is not whole, or that nobody waits for, changes nothing. */
export function takeHistory(state: CampaignState, entries: readonly LedgerEntry[]): CampaignState {
  if (!isRefitDue(state) || entries.length !== state.ledger.count) return state
  const { config, campaign, archive } = state
  const projection = learnProjection(config, campaign, entries, state.projection)
  if (projection.version === state.projection.version) return { ...state, projection }
  return { ...state, projection, archive: placeAll({ config, projection }, archive.shape, entries) }
}

function placeAll(placing: Placing, shape: ArchiveShape, entries: readonly LedgerEntry[]): Archive {
  const archive = new GridArchive(shape, placing.config.objectives)
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
