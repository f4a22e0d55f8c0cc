import type { CampaignState } from '../../core/campaign/campaign.ts'
import type { Direction } from '../../core/campaign/control.ts'
import { findIssueStatus, type IssueEvent, type IssueStatus } from '../../github/issues/issue-history.ts'
import type { CampaignDriver } from '../campaign/campaign-driver.ts'
import type { ApiPort, ClockPort, PermissionsPort } from '../ports.ts'
import { type Evidence, evidenceOf, type SeenIssue } from '../reconcile/evidence.ts'
import type { Subject } from '../reconcile/subject.ts'
import type { AgreedWords } from './agreed-words.ts'
import { mayWrite, senderOf } from './sender.ts'
import type { Steering } from './steering.ts'

type IssueWatchPorts = ApiPort & ClockPort & PermissionsPort

interface SeenCampaignIssue {
  /** New words of people with write permission. */
  readonly words?: Pick<Direction, 'title' | 'body'> | undefined
  /** Undefined where it does not matter. */
  readonly status?: IssueStatus | undefined
  /** Someone with write permission undid what had paused the campaign. */
  readonly back?: { readonly login: string; readonly at: string } | undefined
}

export type IssueAction =
  | { readonly type: 'redirect'; readonly title: string; readonly body: string }
  | { readonly type: 'hold'; readonly detail: string }
  | { readonly type: 'resume'; readonly by: string; readonly at: string }

/**
 * The issue of a campaign: if it was closed, locked, moved or unlabelled, the campaign pauses, until someone with write
 * permission undoes that. Their edits redirect it.
 */
export class IssueWatch implements Subject<SeenCampaignIssue, IssueAction> {
  readonly #ports: IssueWatchPorts
  readonly #words: AgreedWords
  readonly #steering: Steering

  constructor(ports: IssueWatchPorts, { words, steering }: { words: AgreedWords; steering: Steering }) {
    this.#ports = ports
    this.#words = words
    this.#steering = steering
  }

  async observe(driver: CampaignDriver, told: readonly Evidence[]): Promise<SeenCampaignIssue> {
    const { config, state } = driver.snapshot
    const { direction, resumedAt } = state.campaign.control
    if (direction === undefined) return {}
    const isAbout = ({ event }: { readonly event: { readonly issue: SeenIssue } }): boolean =>
      event.issue.number === direction.issue
    const edits = evidenceOf(told, 'issue-edited').filter(isAbout)
    const changes = evidenceOf(told, 'issue-changed').filter(isAbout)
    const edited = edits.length > 0 ? await this.#words.findNew(direction, edits) : undefined
    // An edit changes nothing else.
    if (!isFollowed(state) || (edits.length > 0 && changes.length === 0)) return { words: edited }
    // Only changes after the last resume count.
    const question = { issue: direction.issue, label: config.label, since: resumedAt }
    const history = changes.map((each) => this.#asHistory(each))
    const status = await findIssueStatus(this.#ports.api, { ...question, told: history })
    if (status.status === 'ended') return { words: edited, status }
    if (!isHeld(state)) return { words: edited ?? (await this.#words.findNew(direction, [])), status }
    const { actor: login, at } = status.back ?? {}
    const mayResume = login !== undefined && (await mayWrite(this.#ports, senderOf(login)))
    return { words: edited, status, back: mayResume && at !== undefined ? { login, at } : undefined }
  }

  readonly decide = decideIssue

  async apply(driver: CampaignDriver, action: IssueAction): Promise<void> {
    switch (action.type) {
      case 'redirect':
        return await driver.take({ ...action, type: 'direction' })
      case 'hold':
        return await driver.take({ type: 'hold', reason: 'issue', detail: action.detail })
      case 'resume':
        await this.#steering.obey(driver, { name: 'resume', at: action.at }, action.by)
    }
  }

  #asHistory({ event, sender }: Evidence<'issue-changed'>): IssueEvent {
    const { how, label, at = new Date(this.#ports.clock.now()).toISOString() } = event
    return { event: how, label, at, actor: sender.login, title: undefined }
  }
}

/** What is due for the issue of a campaign. */
export function decideIssue(
  state: CampaignState,
  { words, status, back }: SeenCampaignIssue,
): readonly IssueAction[] {
  const actions: IssueAction[] = words === undefined ? [] : [{ type: 'redirect', ...words }]
  if (status?.status === 'ended' && !isHeld(state)) actions.push({ type: 'hold', detail: status.detail })
  if (back !== undefined) actions.push({ type: 'resume', by: back.login, at: back.at })
  return actions
}

function isHeld({ campaign: { status } }: CampaignState): boolean {
  return status.phase === 'paused' && status.reason === 'issue'
}

// Another pause has its own reason, and a finished campaign needs no issue.
function isFollowed(state: CampaignState): boolean {
  const { phase } = state.campaign.status
  return phase !== 'finished' && (phase !== 'paused' || isHeld(state))
}
