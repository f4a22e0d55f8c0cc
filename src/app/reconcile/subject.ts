import type { CampaignState } from '../../core/campaign/campaign.ts'
import type { CampaignDriver } from '../campaign/campaign-driver.ts'
import type { Evidence } from './evidence.ts'

/** One side of a campaign that people or GitHub may change, such as its issue or its pull requests. */
export interface Subject<Seen, Action> {
  /** What GitHub shows, with what webhooks told. Changes nothing. */
  observe(driver: CampaignDriver, told: readonly Evidence[]): Promise<Seen>
  /** What is due. Asks nobody. */
  decide(state: CampaignState, seen: Seen): readonly Action[]
  apply(driver: CampaignDriver, action: Action): Promise<void>
}

/** Follows one subject of a campaign. */
export async function follow<Seen, Action>(
  subject: Subject<Seen, Action>,
  driver: CampaignDriver,
  told: readonly Evidence[] = [],
): Promise<void> {
  const seen = await subject.observe(driver, told)
  for (const action of subject.decide(driver.snapshot.state, seen)) await subject.apply(driver, action)
}
