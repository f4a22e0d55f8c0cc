import type { Campaign, CampaignState } from '../campaign/campaign.ts'

interface Renewal {
  readonly campaign: Pick<Campaign, 'renewing'>
  readonly jobs: CampaignState['jobs']
}

/** Whether elites of a former epoch are still to be measured in this one: nothing else is planned before. */
export function isRenewing({ campaign, jobs }: Renewal): boolean {
  return campaign.renewing.length > 0 || [...jobs.values()].some(({ purpose }) => purpose === 'epoch')
}
