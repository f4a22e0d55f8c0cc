import type { Archive } from '../archive/archive.ts'
import { gridSizes } from '../archive/grid.ts'
import type { Campaign, CampaignState } from '../campaign/campaign.ts'
import type { EngineConfig } from '../campaign/engine-config.ts'
import type { LedgerEntry } from '../campaign/ledger.ts'
import { epochOf, isCandidateLine } from '../measuring/figures.ts'
import { isRenewing } from '../measuring/renewing.ts'
import type { Steps } from '../steps.ts'
import { findEmbeddings, isOfSpace } from './embeddings.ts'
import { type Projection, UNFITTED } from './projection.ts'
import { type FitSchedule, nextFitAt, refitInSteps } from './refit.ts'

/** The parts of a campaign that determine when and how axes are fitted. */
export interface Learning {
  readonly config: EngineConfig
  readonly campaign: Pick<Campaign, 'warmUp' | 'window' | 'epoch' | 'space' | 'renewing'>
  readonly archive: Pick<Archive, 'cellCount'>
  readonly jobs: CampaignState['jobs']
}

/**
 * Whether the whole history is needed before anything else is admitted or planned: the axes need a refit, or people
 * declined a candidate, whose cell goes to the next best.
 */
export function isHistoryDue(state: CampaignState): boolean {
  if (state.campaign.control.rebuildDue === true) return true
  if (learnedAxes(state.config) === 0) return false
  // A new space waits until all its elites are embedded.
  const { space, finished } = state.campaign
  const known = space === undefined ? finished : finished - space.finished + space.described
  return !isDescribing(state) && known >= nextFitAt(state.projection, scheduleOf(state))
}

function isDescribing(learning: Learning): boolean {
  return learning.campaign.space !== undefined && isRenewing(learning)
}

/**
 * Replays every fit that a history calls for. Starting from a known projection, only the later ones.
 */
export function* learnProjection(
  learning: Learning,
  entries: readonly LedgerEntry[],
  from: Projection = UNFITTED,
): Steps<Projection> {
  const axes = learnedAxes(learning.config)
  const schedule = scheduleOf(learning)
  const { search } = learning.config
  // The cells of one island; all islands have the same shape.
  const sides = gridSizes(schedule.cells / search.islands, search.axes.length).slice(0, axes)
  const { space } = learning.campaign
  const ends = findRenewalEnds(learning, entries)
  let projection = from
  let finished = 0
  for (const [index, entry] of entries.entries()) {
    if (!isOfSpace(entry, space) || !(isCandidateLine(entry) || isEmbeddedAgain(entry))) continue
    finished++
    if (axes === 0 || finished < nextFitAt(projection, schedule)) continue
    if (isEmbeddedAgain(entry) && !ends.has(index)) continue
    const known = [...findEmbeddings(entries.slice(0, index + 1), space).values()]
    projection = yield* refitInSteps(projection, known, { finished, sides })
  }
  return projection
}

function isEmbeddedAgain({ kind, embedding }: LedgerEntry): boolean {
  return kind === 'confirm' && embedding !== undefined
}

/** The lines at which the last elite of an epoch was embedded again. Fits before would see only some of them. */
function findRenewalEnds(learning: Learning, entries: readonly LedgerEntry[]): ReadonlySet<number> {
  const ends = new Map<number, number>()
  for (const [index, entry] of entries.entries()) {
    if (isEmbeddedAgain(entry)) ends.set(epochOf(entry), index)
  }
  if (isDescribing(learning)) ends.delete(learning.campaign.epoch)
  return new Set(ends.values())
}

// In a new space the embedded elites act as seeds, so the first fit does not wait for others.
function scheduleOf({ campaign, archive }: Learning): FitSchedule {
  const warmUp = campaign.space === undefined ? campaign.warmUp : 0
  return { warmUp, window: campaign.window, cells: archive.cellCount }
}

/** The number of learned axes; they come before the declared ones. */
export function learnedAxes({ search }: EngineConfig): number {
  return search.axes.filter(({ kind }) => kind === 'learned').length
}
