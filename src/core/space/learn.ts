import type { Archive } from '../archive.ts'
import type { CampaignState, EngineConfig, LedgerEntry } from '../campaign.ts'
import { isCandidateLine } from '../figures.ts'
import { gridSizes } from '../grid.ts'
import { type Projection, UNFITTED } from './projection.ts'
import { type FitSchedule, nextFitAt, refit } from './refit.ts'

/** Of a campaign what decides when and how its axes are fitted; all of it is fixed when it begins. */
export interface Learning {
  readonly config: EngineConfig
  readonly campaign: { readonly warmUp: number; readonly window: number }
  readonly archive: Pick<Archive, 'cellCount'>
}

/**
 * Whether the whole history is needed before anything else is admitted or planned: the axes are to be fitted anew, or
 * people declined a candidate whose cell goes to the next best.
 */
export function isHistoryDue(state: CampaignState): boolean {
  if (state.campaign.control.rebuildDue === true) return true
  if (learnedAxes(state.config) === 0) return false
  return state.campaign.finished >= nextFitAt(state.projection, scheduleOf(state))
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
  let projection = from
  let finished = 0
  for (const [index, entry] of entries.entries()) {
    if (!isCandidateLine(entry)) continue
    finished++
    if (axes === 0 || finished < nextFitAt(projection, schedule)) continue
    const known = entries.slice(0, index + 1).flatMap(({ embedding }) => embedding ?? [])
    projection = refit(projection, known, { finished, sides })
  }
  return projection
}

function scheduleOf({ campaign, archive }: Learning): FitSchedule {
  return { warmUp: campaign.warmUp, window: campaign.window, cells: archive.cellCount }
}

/** How many of a campaign's axes are learned; they come before the declared ones. */
export function learnedAxes({ search }: EngineConfig): number {
  return search.axes.filter(({ kind }) => kind === 'learned').length
}
