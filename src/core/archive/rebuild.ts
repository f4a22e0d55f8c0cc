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

/** The archive and projection that follow from a campaign's history. */
export interface Rebuilt {
  readonly archive: Archive
  readonly projection: Projection
}

/** The parts of a campaign that a rebuild depends on: axes, archive shape, epoch and declined candidates. */
export interface Begun extends Learning {
  readonly campaign: Learning['campaign'] & { readonly control: Pick<Control, 'declined'> }
  readonly archive: Pick<Archive, 'shape' | 'cellCount'>
}

/** Rebuilds projection and archive from the ledger alone. The result equals what the campaign built step by step. */
export function rebuild(begun: Begun, entries: readonly LedgerEntry[]): Rebuilt {
  const projection = learnProjection(begun, entries)
  return { projection, archive: placeAll(begun, projection, entries) }
}

/** Applies the history that a tick asked for. An incomplete or unrequested history changes nothing. */
export function takeHistory(state: CampaignState, entries: readonly LedgerEntry[]): CampaignState {
  if (!isHistoryDue(state) || entries.length !== state.ledger.count) return state
  const projection = learnProjection(state, entries, state.projection)
  const isRefitted = projection.version !== state.projection.version
  if (!isRefitted && state.campaign.control.rebuildDue !== true) return { ...state, projection }
  const archive = placeAll(state, projection, entries)
  const campaign = { ...state.campaign, unplaced: findUnplaced(state, entries) }
  return withControl({ ...state, campaign, projection, archive }, { rebuildDue: undefined })
}

// A candidate that failed in this epoch, or was never reached, gets another chance in the next: the evaluator may be at fault.
function findUnplaced(state: CampaignState, entries: readonly LedgerEntry[]): Campaign['unplaced'] {
  const { unplaced, epoch } = state.campaign
  if (unplaced === undefined || isRenewing(state)) return unplaced
  const figures = findFigures(entries, epoch)
  return unplaced.filter(({ ordinal }) => !figures.has(ordinal))
}

/**
 * Places all candidates in ledger order with their current figures. An elite whose good figures were chance is
 * challenged again by the candidates that it had kept out.
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

// The first line of each candidate. Declined candidates do not compete, so the next best takes the cell. While elites of
// an earlier epoch are being measured again, only the root competes.
function findCompeting({ campaign, jobs }: Begun, entries: readonly LedgerEntry[]): readonly LedgerEntry[] {
  const unwanted = new Set(campaign.control.declined)
  const isAlone = isRenewing({ campaign, jobs })
  return entries.filter(
    ({ ordinal, kind }) => ordinal === 0 || (kind === 'candidate' && !isAlone && !unwanted.has(ordinal)),
  )
}
