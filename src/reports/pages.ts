import type { CampaignState } from '../core/campaign/campaign.ts'
import { renderArchiveSvg } from './archive-svg.ts'
import { type DashboardPlace, renderDashboard } from './dashboard-page.ts'
import { renderProgressSvg } from './progress-svg.ts'

/** What a campaign's folder on the state branch shows to people, by file name: the branch page is the dashboard. */
export function renderPages(
  state: CampaignState,
  place: Pick<DashboardPlace, 'eliteNote'> = {},
): ReadonlyMap<string, string> {
  return new Map([
    ['README.md', renderDashboard(state, { ...place, imageBase: '', imageSuffix: '' })],
    ['archive.svg', renderArchiveSvg(state)],
    ['progress.svg', renderProgressSvg(state)],
  ])
}
