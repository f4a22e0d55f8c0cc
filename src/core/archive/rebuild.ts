import type { Campaign, CampaignState } from '../campaign/campaign.ts'
import type { Control } from '../campaign/control.ts'
import type { LedgerEntry } from '../campaign/ledger.ts'
import { withControl } from '../campaign/pulls.ts'
import { findFigures } from '../measuring/figures.ts'
import { placeInArchive } from '../measuring/judge.ts'
import { isRenewing } from '../measuring/renewing.ts'
import { findEmbeddings } from '../space/embeddings.ts'
import { isHistoryDue, type Learning, learnProjection } from '../space/learn.ts'
import type { Projection } from '../space/projection.ts'
import type { Archive } from './archive.ts'
import { archiveRules, createArchive } from './cell-archive.ts'

/** What a campaign's history leads to. */
export interface Rebuilt {
  readonly archive: Archive
  readonly projection: Projection
}

/** What decides its axes and how its archive is cut, its epoch, and what people declined. */
export interface Begun extends Learning {
  readonly campaign: Learning['campaign'] & { readonly control: Pick<Control, 'declined'> }
  readonly archive: Pick<Archive, 'shape' | 'cellCount'>
}

/** Projection and archive from a ledger alone: equal, elite for elite, to those the campaign made as it went. */
export function rebuild(begun: Begun, entries: readonly LedgerEntry[]): Rebuilt {
  const projection = learnProjection(begun, entries)
  return { projection, archive: placeAll(begun, projection, entries) }
}

/** Takes in the history that a tick asked for. One that is not whole, or that nobody waits for, changes nothing. */
export function takeHistory(state: CampaignState, entries: readonly LedgerEntry[]): CampaignState {
  if (!isHistoryDue(state) || entries.length !== state.ledger.count) return state
  const projection = learnProjection(state, entries, state.projection)
  const isRefitted = projection.version !== state.projection.version
  if (!isRefitted && state.campaign.control.rebuildDue !== true) return { ...state, projection }
  const archive = placeAll(state, projection, entries)
  const campaign = { ...state.campaign, unplaced: findUnplaced(state, entries) }
  return withControl({ ...state, campaign, projection, archive }, { rebuildDue: undefined })
}

// What failed in this epoch, or was never reached, may do better in the next: its measure may be at fault.
function findUnplaced(state: CampaignState, entries: readonly LedgerEntry[]): Campaign['unplaced'] {
  const { unplaced, epoch } = state.campaign
  if (unplaced === undefined || isRenewing(state)) return unplaced
  const figures = findFigures(entries, epoch)
  return unplaced.filter(({ ordinal }) => !figures.has(ordinal))
}

/**
 * In the ledger's order, each with the figures that count for it now: an elite whose luck did not last is challenged
 * once more by all that it had kept out.
 */
function placeAll(begun: Begun, projection: Projection, entries: readonly LedgerEntry[]): Archive {
  const { config, campaign, archive } = begun
  const placed = createArchive(archive.shape, archiveRules(config))
  const figures = findFigures(entries, campaign.epoch)
  const embeddings = findEmbeddings(entries, campaign.space)
  for (const { ordinal, island, commit, tree, change } of findCompeting(begun, entries)) {
    const own = figures.get(ordinal)
    if (own === undefined || commit === undefined || tree === undefined || change === undefined) continue
    placeInArchive(
      placed,
      { config, projection },
      { ...own, ordinal, island, commit, tree, change, embedding: embeddings.get(ordinal) },
    )
  }
  return placed
}

// The first line of each. What people declined never had a place: the next best of its cell has it. While the elites
// of a former epoch are being measured again, only the root has one.
function findCompeting({ campaign, jobs }: Begun, entries: readonly LedgerEntry[]): readonly LedgerEntry[] {
  const unwanted = new Set(campaign.control.declined)
  const isAlone = isRenewing({ campaign, jobs })
  return entries.filter(
    ({ ordinal, kind }) => ordinal === 0 || (kind === 'candidate' && !isAlone && !unwanted.has(ordinal)),
  )
}
