import type { Campaign, CampaignState } from '../campaign/campaign.ts'
import type { Control } from '../campaign/control.ts'
import type { PreparedHistory } from '../campaign/events.ts'
import type { LedgerEntry } from '../campaign/ledger.ts'
import { withControl } from '../campaign/pulls.ts'
import { findFigures } from '../measuring/figures.ts'
import { placeInArchive } from '../measuring/judge.ts'
import { isRenewing } from '../measuring/renewing.ts'
import { findEmbeddings } from '../space/embeddings.ts'
import { isHistoryDue, type Learning, learnProjection } from '../space/learn.ts'
import type { Projection } from '../space/projection.ts'
import { finish, type Steps } from '../steps.ts'
import type { Archive } from './archive.ts'
import { archiveRules, createArchive } from './cell-archive.ts'

const PLACED_PER_STEP = 200

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
  const projection = finish(learnProjection(begun, entries))
  return { projection, archive: finish(placeAll(begun, projection, entries)) }
}

/** Computes in steps what `takeHistory` needs. A host that serves others does this first. */
export function* prepareHistory(
  base: CampaignState,
  entries: readonly LedgerEntry[],
): Steps<PreparedHistory> {
  const projection = yield* learnProjection(base, entries, base.projection)
  const isRefitted = projection.version !== base.projection.version
  const isPlaced = !isRefitted && base.campaign.control.rebuildDue !== true
  return { base, projection, archive: isPlaced ? base.archive : yield* placeAll(base, projection, entries) }
}

// Only if nothing changed that the result depends on. Time may have passed.
function isPreparedFor(prepared: PreparedHistory, state: CampaignState): boolean {
  const essence = ({ config, campaign, jobs, archive, projection }: CampaignState): readonly unknown[] => [
    ...[config, jobs, archive, projection],
    ...[campaign.control.declined, campaign.control.rebuildDue],
    ...[campaign.epoch, campaign.space, campaign.renewing],
  ]
  const now = essence(state)
  return essence(prepared.base).every((part, index) => part === now[index])
}

/** Applies the history that a tick asked for. An incomplete or unrequested history changes nothing. */
export function takeHistory(
  state: CampaignState,
  entries: readonly LedgerEntry[],
  prepared?: PreparedHistory,
): CampaignState {
  if (!isHistoryDue(state) || entries.length !== state.ledger.count) return state
  const { projection, archive } =
    prepared !== undefined && isPreparedFor(prepared, state)
      ? prepared
      : finish(prepareHistory(state, entries))
  if (archive === state.archive) return { ...state, projection }
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
function* placeAll(begun: Begun, projection: Projection, entries: readonly LedgerEntry[]): Steps<Archive> {
  const { config, campaign, archive } = begun
  const placed = createArchive(archive.shape, archiveRules(config))
  const figures = findFigures(entries, campaign.epoch)
  const embeddings = findEmbeddings(entries, campaign.space)
  for (const [index, entry] of findCompeting(begun, entries).entries()) {
    if (index % PLACED_PER_STEP === 0) yield
    const { ordinal, island, commit, tree, change } = entry
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
