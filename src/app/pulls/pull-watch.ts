import { findPull } from '../../core/campaign/pulls.ts'
import { findPullByNumber, type PullFacts } from '../../github/pulls.ts'
import { findTicked } from '../../reports/campaign/checkboxes.ts'
import type { CampaignDriver } from '../campaign/campaign-driver.ts'
import type { Campaigns } from '../campaign/campaigns.ts'
import type { ApiPort } from '../ports.ts'
import type { Evidence, SeenPull } from '../reconcile/evidence.ts'
import type { PullRequests } from './pull-requests.ts'

const PULL_BRANCH = /^loreley\/pr\/([a-z0-9-]{1,40})\/(\d{4,9})$/

/** Watches what people do with our pull requests. The search remembers which were merged or closed. */
export class PullWatch {
  readonly #ports: ApiPort
  readonly #campaigns: Campaigns
  readonly #pulls: PullRequests

  constructor(ports: ApiPort, campaigns: Campaigns, pulls: PullRequests) {
    this.#ports = ports
    this.#campaigns = campaigns
    this.#pulls = pulls
  }

  /**
   * The campaign behind a pull request. Pull requests from forks do not count, because their branches can have any
   * name.
   */
  campaignOf({ headRef, isOwn }: SeenPull): string | undefined {
    return isOwn ? PULL_BRANCH.exec(headRef)?.[1] : undefined
  }

  /** Settles a pull request that a webhook reports as closed. */
  async reconcileTold({ event: { pull, merged } }: Evidence<'pull-closed'>): Promise<void> {
    const driver = await this.#campaigns.find(this.campaignOf(pull) ?? '')
    const ordinal = Number(PULL_BRANCH.exec(pull.headRef)?.[2])
    if (driver !== undefined) await this.#settle(driver, { ordinal, number: pull.number, merged })
  }

  /** Settles a campaign's closed pull requests. Returns those whose CI box is ticked, by anybody. */
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
    // A late report may be about an earlier pull request. The branch belongs to the current one.
    if (pull?.number === number && pull.status !== 'open')
      await this.#pulls.removeBranch(driver.snapshot, pull)
  }
}
