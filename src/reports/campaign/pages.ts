import type { CampaignState } from '../../core/campaign/campaign.ts'
import { renderArchiveSvg } from '../map/archive-svg.ts'
import { renderProgressSvg } from '../map/progress-svg.ts'
import { type DashboardTarget, renderDashboard } from './dashboard-page.ts'

/** The readable files of a campaign's folder on the state branch, by name: the branch page is the dashboard. */
export function renderPages(
  state: CampaignState,
  target: Pick<DashboardTarget, 'eliteNote'> = {},
): ReadonlyMap<string, string> {
  return new Map([
    ['README.md', renderDashboard(state, { ...target, imageBase: '', imageSuffix: '' })],
    ['archive.svg', renderArchiveSvg(state)],
    ['progress.svg', renderProgressSvg(state)],
  ])
}
