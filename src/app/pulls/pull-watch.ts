import type { CampaignState } from '../../core/campaign/campaign.ts'
import type { Pull } from '../../core/campaign/control.ts'
import { findPull } from '../../core/campaign/pulls.ts'
import { findPullByNumber, type PullFacts } from '../../github/pulls.ts'
import { findTicked } from '../../reports/campaign/checkboxes.ts'
import type { CampaignDriver } from '../campaign/campaign-driver.ts'
import type { ApiPort } from '../ports.ts'
import type { SeenPull } from '../reconcile/evidence.ts'
import type { Subject } from '../reconcile/subject.ts'
import type { PullRequests } from './pull-requests.ts'

const PULL_BRANCH = /^loreley\/pr\/([a-z0-9-]{1,40})\/(\d{4,9})$/

/** A pull request of ours that was open when we last looked. */
interface SeenOwnPull {
  readonly pull: Pull
  readonly found: PullFacts | undefined
}

export type PullAction =
  | { readonly type: 'settle'; readonly ordinal: number; readonly number: number; readonly merged: boolean }
  /** Its CI box is ticked, by anybody. */
  | { readonly type: 'release-ci'; readonly pull: PullFacts }

interface PullParts {
  readonly pulls: PullRequests
  release(driver: CampaignDriver, pull: PullFacts): Promise<void>
}

/** The campaign and the ordinal behind a pull request. Branches of forks do not count: they can have any name. */
export function findOwn({ headRef, isOwn }: Pick<SeenPull, 'headRef' | 'isOwn'>) {
  const [, campaign = '', digits] = (isOwn ? PULL_BRANCH.exec(headRef) : undefined) ?? []
  return digits === undefined ? undefined : { campaign, ordinal: Number(digits) }
}

/** What people do with our pull requests. The search remembers which were merged or closed. */
export class PullWatch implements Subject<readonly SeenOwnPull[], PullAction> {
  readonly #ports: ApiPort
  readonly #parts: PullParts

  constructor(ports: ApiPort, parts: PullParts) {
    this.#ports = ports
    this.#parts = parts
  }

  async observe({ snapshot }: CampaignDriver): Promise<readonly SeenOwnPull[]> {
    const open = snapshot.state.campaign.control.pulls.filter(({ status }) => status === 'open')
    const seen: SeenOwnPull[] = []
    for (const pull of open) {
      const { number } = pull
      const found = number === undefined ? undefined : await findPullByNumber(this.#ports.api, number)
      seen.push({ pull, found })
    }
    return seen
  }

  readonly decide = decidePulls

  async apply(driver: CampaignDriver, action: PullAction): Promise<void> {
    if (action.type === 'release-ci') return await this.#parts.release(driver, action.pull)
    const { ordinal, number, merged } = action
    await driver.take({ type: 'pull', ordinal, status: merged ? 'merged' : 'closed', number })
    const pull = findPull(driver.snapshot.state, ordinal)
    // A late report may be about an earlier pull request. The branch belongs to the current one.
    if (pull?.number === number && pull.status !== 'open')
      await this.#parts.pulls.removeBranch(driver.snapshot, pull)
  }
}

/** What is due for the pull requests of a campaign. */
export function decidePulls(_state: CampaignState, seen: readonly SeenOwnPull[]): readonly PullAction[] {
  return seen.flatMap(({ pull, found }): readonly PullAction[] => {
    const { ordinal } = pull.candidate
    if (found?.state === 'closed')
      return [{ type: 'settle', ordinal, number: found.number, merged: found.merged }]
    const isTicked = found !== undefined && pull.ciReleased !== true && findTicked(found.body).includes('ci')
    return isTicked ? [{ type: 'release-ci', pull: found }] : []
  })
}
