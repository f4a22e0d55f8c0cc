import type { CampaignState, EngineConfig, LedgerEntry } from '../campaign.ts'
import { type Projection, UNFITTED } from './projection.ts'
import { nextFitAt, refit } from './refit.ts'

/** When projections of a campaign are fitted: fixed at its start. */
export interface FitSchedule {
  readonly warmUp: number
  readonly window: number
}

/**
 * Whether the whole history is needed before anything else is admitted or planned: the axes are to be fitted anew, or
 * people declined a candidate whose cell goes to the next best.
 */
export function isHistoryDue({ campaign, config, projection }: CampaignState): boolean {
  if (campaign.control.rebuildDue === true) return true
  if (learnedAxes(config) === 0) return false
  return campaign.finished >= nextFitAt(projection, campaign.warmUp, campaign.window)
}

/**
 * The projection that a history leads to: every fit that was due on the way, one after the other. From a known
 * projection on, only those since.
 */
export function learnProjection(
  config: EngineConfig,
  { warmUp, window }: FitSchedule,
  entries: readonly LedgerEntry[],
  from: Projection = UNFITTED,
): Projection {
  const axes = learnedAxes(config)
  let projection = from
  let finished = 0
  for (const [index, { kind }] of entries.entries()) {
    if (kind === 'candidate') finished++
    if (axes === 0 || kind !== 'candidate' || finished < nextFitAt(projection, warmUp, window)) continue
    const known = entries.slice(0, index + 1).flatMap(({ embedding }) => embedding ?? [])
    projection = refit(projection, known, { axes, finished })
  }
  return projection
}

/** How many of a campaign's axes are learned; they come before the declared ones. */
export function learnedAxes({ search }: EngineConfig): number {
  return search.axes.filter(({ kind }) => kind === 'learned').length
}
