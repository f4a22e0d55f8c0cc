import type { Campaign, CampaignState } from '../campaign/campaign.ts'

interface Renewal {
  readonly campaign: Pick<Campaign, 'renewing'>
  readonly jobs: CampaignState['jobs']
}

/** Whether elites of the previous epoch still wait for a measurement. Nothing else is planned before that. */
export function isRenewing({ campaign, jobs }: Renewal): boolean {
  return campaign.renewing.length > 0 || [...jobs.values()].some(({ purpose }) => purpose === 'epoch')
}
