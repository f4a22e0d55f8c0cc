import type { Archive } from '../archive/archive.ts'
import { gridSizes } from '../archive/grid.ts'
import type { Campaign, CampaignState } from '../campaign/campaign.ts'
import type { EngineConfig } from '../campaign/engine-config.ts'
import type { LedgerEntry } from '../campaign/ledger.ts'
import { epochOf, isCandidateLine } from '../measuring/figures.ts'
import { isRenewing } from '../measuring/renewing.ts'
import { findEmbeddings, isOfSpace } from './embeddings.ts'
import { type Projection, UNFITTED } from './projection.ts'
import { type FitSchedule, nextFitAt, refit } from './refit.ts'

/** Of a campaign what decides when and how its axes are fitted. */
export interface Learning {
  readonly config: EngineConfig
  readonly campaign: Pick<Campaign, 'warmUp' | 'window' | 'epoch' | 'space' | 'renewing'>
  readonly archive: Pick<Archive, 'cellCount'>
  readonly jobs: CampaignState['jobs']
}

/**
 * Whether the whole history is needed before anything else is admitted or planned: the axes are to be fitted anew, or
 * people declined a candidate whose cell goes to the next best.
 */
export function isHistoryDue(state: CampaignState): boolean {
  if (state.campaign.control.rebuildDue === true) return true
  if (learnedAxes(state.config) === 0) return false
  // A space that begins with elites waits for all of them.
  const { space, finished } = state.campaign
  const known = space === undefined ? finished : finished - space.finished + space.described
  return !isDescribing(state) && known >= nextFitAt(state.projection, scheduleOf(state))
}

function isDescribing(learning: Learning): boolean {
  return learning.campaign.space !== undefined && isRenewing(learning)
}

/**
 * The projection that a history leads to: every fit that was due on the way, one after the other. From a known
 * projection on, only those since.
 */
export function learnProjection(
  learning: Learning,
  entries: readonly LedgerEntry[],
  from: Projection = UNFITTED,
): Projection {
  const axes = learnedAxes(learning.config)
  const schedule = scheduleOf(learning)
  const { search } = learning.config
  // The cells of one island: all islands are cut alike.
  const sides = gridSizes(schedule.cells / search.islands, search.axes.length).slice(0, axes)
  const { space } = learning.campaign
  const ends = findRenewalEnds(learning, entries)
  let projection = from
  let finished = 0
  for (const [index, entry] of entries.entries()) {
    if (!isOfSpace(entry, space) || !(isCandidateLine(entry) || isDescribedAnew(entry))) continue
    finished++
    if (axes === 0 || finished < nextFitAt(projection, schedule)) continue
    if (isDescribedAnew(entry) && !ends.has(index)) continue
    const known = [...findEmbeddings(entries.slice(0, index + 1), space).values()]
    projection = refit(projection, known, { finished, sides })
  }
  return projection
}

function isDescribedAnew({ kind, embedding }: LedgerEntry): boolean {
  return kind === 'confirm' && embedding !== undefined
}

/** The lines with which the last elite of an epoch was described anew: fits in between would know a part of them. */
function findRenewalEnds(learning: Learning, entries: readonly LedgerEntry[]): ReadonlySet<number> {
  const ends = new Map<number, number>()
  for (const [index, entry] of entries.entries()) {
    if (isDescribedAnew(entry)) ends.set(epochOf(entry), index)
  }
  if (isDescribing(learning)) ends.delete(learning.campaign.epoch)
  return new Set(ends.values())
}

// Elites that were described anew are what seeds are otherwise: the first fit waits for no others.
function scheduleOf({ campaign, archive }: Learning): FitSchedule {
  const warmUp = campaign.space === undefined ? campaign.warmUp : 0
  return { warmUp, window: campaign.window, cells: archive.cellCount }
}

/** How many of a campaign's axes are learned; they come before the declared ones. */
export function learnedAxes({ search }: EngineConfig): number {
  return search.axes.filter(({ kind }) => kind === 'learned').length
}
