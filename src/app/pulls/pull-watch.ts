import { findPull } from '../../core/campaign/pulls.ts'
import { findPullByNumber, type PullFacts } from '../../github/pulls.ts'
import { findTicked } from '../../reports/campaign/checkboxes.ts'
import type { CampaignDriver } from '../campaign/campaign-driver.ts'
import type { Campaigns } from '../campaign/campaigns.ts'
import type { ApiPort } from '../ports.ts'
import type { Evidence, SeenPull } from '../reconcile/evidence.ts'
import type { PullRequests } from './pull-requests.ts'

const PULL_BRANCH = /^loreley\/pr\/([a-z0-9-]{1,40})\/(\d{4,9})$/

/** Sees what people make of our pull requests: merged and closed are answers that the search remembers. */
export class PullWatch {
  readonly #ports: ApiPort
  readonly #campaigns: Campaigns
  readonly #pulls: PullRequests

  constructor(ports: ApiPort, campaigns: Campaigns, pulls: PullRequests) {
    this.#ports = ports
    this.#campaigns = campaigns
    this.#pulls = pulls
  }

  /** The campaign that a pull request came from; a fork can name its branch like ours. */
  campaignOf({ headRef, isOwn }: SeenPull): string | undefined {
    return isOwn ? PULL_BRANCH.exec(headRef)?.[1] : undefined
  }

  /** Settles a pull request that a webhook told was closed. */
  async reconcileTold({ event: { pull, merged } }: Evidence<'pull-closed'>): Promise<void> {
    const driver = await this.#campaigns.find(this.campaignOf(pull) ?? '')
    const ordinal = Number(PULL_BRANCH.exec(pull.headRef)?.[2])
    if (driver !== undefined) await this.#settle(driver, { ordinal, number: pull.number, merged })
  }

  /** Settles the pull requests of a campaign that were closed. Gives those whose box for CI is ticked, by whomever. */
  async reconcile(driver: CampaignDriver): Promise<readonly PullFacts[]> {
    const open = driver.snapshot.state.campaign.control.pulls.filter(({ status }) => status === 'open')
    const ticked: PullFacts[] = []
    for (const { number, candidate, ciReleased } of open) {
      const found = number === undefined ? undefined : await findPullByNumber(this.#ports.api, number)
      if (found?.state === 'closed')
        await this.#settle(driver, { ordinal: candidate.ordinal, number: found.number, merged: found.merged })
      else if (found !== undefined && ciReleased !== true && findTicked(found.body).includes('ci'))
        ticked.push(found)
    }
    return ticked
  }

  async #settle(
    driver: CampaignDriver,
    { ordinal, number, merged }: { ordinal: number; number: number; merged: boolean },
  ): Promise<void> {
    await driver.take({ type: 'pull', ordinal, status: merged ? 'merged' : 'closed', number })
    const pull = findPull(driver.snapshot.state, ordinal)
    // One that GitHub tells of late is another's: the branch is that of the present one.
    if (pull?.number === number && pull.status !== 'open')
      await this.#pulls.removeBranch(driver.snapshot, pull)
  }
}
