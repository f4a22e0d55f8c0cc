import type { CampaignState } from '../../core/campaign/campaign.ts'
import { renderArchiveSvg } from '../map/archive-svg.ts'
import { renderProgressSvg } from '../map/progress-svg.ts'
import { type DashboardTarget, renderDashboard } from './dashboard-page.ts'

/** What a campaign's folder on the state branch shows to people, by file name: the branch page is the dashboard. */
export function renderPages(
  state: CampaignState,
  place: Pick<DashboardTarget, 'eliteNote'> = {},
): ReadonlyMap<string, string> {
  return new Map([
    ['README.md', renderDashboard(state, { ...place, imageBase: '', imageSuffix: '' })],
    ['archive.svg', renderArchiveSvg(state)],
    ['progress.svg', renderProgressSvg(state)],
  ])
}
