import { findEdited } from '../../github/issues/last-edits.ts'
import { editPull, type PullFacts } from '../../github/pulls.ts'
import { boxesFor, clearTicks, findTicked } from '../../reports/campaign/checkboxes.ts'
import type { CampaignDriver } from '../campaign/campaign-driver.ts'
import type { Campaigns } from '../campaign/campaigns.ts'
import { findShown, type Ticked } from '../campaign/dashboard.ts'
import type { ActorPort, ApiPort, CommentsPort, PermissionsPort } from '../ports.ts'
import { findOwn } from '../pulls/pull-watch.ts'
import type { EventOf } from '../reconcile/evidence.ts'
import { type Command, commandOfBox } from './command-syntax.ts'
import { mayWrite, type Sender } from './sender.ts'
import type { Steering } from './steering.ts'

type CheckboxPorts = ApiPort & ActorPort & CommentsPort & PermissionsPort

interface CheckboxParts {
  readonly campaigns: Pick<Campaigns, 'find'>
  readonly steering: Steering
}

/** New ticks on the dashboard of a campaign. */
interface SeenTicks {
  readonly driver: CampaignDriver
  readonly markers: readonly string[]
  /** Who ticked them, if they may. */
  readonly by: string | undefined
}

export type BoxAction =
  | { readonly type: 'obey'; readonly command: Command; readonly by: string }
  | { readonly type: 'refuse'; readonly text: string }

/** What ticked boxes ask for. Whatever the comment contains, only boxes that the campaign offers count. */
export function decideBoxes(
  offered: readonly string[],
  { markers, by }: Pick<SeenTicks, 'markers' | 'by'>,
): readonly BoxAction[] {
  return markers.flatMap((marker): readonly BoxAction[] => {
    const command = commandOfBox(marker)
    if (command === undefined || by === undefined) return []
    if (offered.includes(marker)) return [{ type: 'obey', command, by }]
    // Better candidates may have been found since the comment was written, so say that this one is no longer offered.
    return command.name === 'promote' ? [{ type: 'refuse', text: notOffered(command.ordinal) }] : []
  })
}

/** Obeys the checkboxes of dashboards and pull requests. */
export class CheckboxCommands {
  readonly #ports: CheckboxPorts
  readonly #parts: CheckboxParts

  constructor(ports: CheckboxPorts, parts: CheckboxParts) {
    this.#ports = ports
    this.#parts = parts
  }

  /** Obeys new ticks in our own comment that a webhook told of. */
  async obeyTold(edit: EventOf<'comment-edited'>, sender: Sender): Promise<void> {
    const seen = await this.#observeTold(edit, sender)
    if (seen !== undefined) await this.#apply(seen)
  }

  /** Obeys boxes that were found ticked. */
  async obeyFound(campaign: string, ticked: Ticked): Promise<void> {
    const seen = await this.#observeFound(campaign, ticked)
    if (seen !== undefined) await this.#apply(seen)
  }

  /** Releases CI of a pull request whose box was ticked. */
  async obeyPull({ pull, before, body }: EventOf<'pull-edited'>, sender: Sender): Promise<void> {
    const campaign = findOwn(pull)?.campaign
    const isTicked = findNewTicks(before, body).includes('ci')
    if (campaign === undefined || !isTicked || !(await mayWrite(this.#ports, sender))) return
    const driver = await this.#parts.campaigns.find(campaign)
    if (driver !== undefined) await this.#obey(driver, { name: 'ci', pull: pull.number }, sender.login)
  }

  /** Releases CI where its box was found ticked. A release that fails is tried again at every reconcile. */
  async obeyFoundRelease(driver: CampaignDriver, { number, nodeId }: PullFacts): Promise<void> {
    const { body, by } = (await this.#findTicked({ nodeId, markers: ['ci'] })) ?? {}
    if (by !== undefined) await this.#parts.steering.obey(driver, { name: 'ci', pull: number }, by)
    else if (body !== undefined) await editPull(this.#ports.api, number, { body: clearTicks(body) })
  }

  // Only ticks of people with write permission count. A box that is no longer ticked was obeyed: the report clears it.
  async #observeTold(edit: EventOf<'comment-edited'>, sender: Sender): Promise<SeenTicks | undefined> {
    const { author, comment, body, before } = edit
    const told = findNewTicks(before, body)
    const campaign = author === this.#ports.actor && told.length > 0 ? findShown(body) : undefined
    if (campaign === undefined || !(await mayWrite(this.#ports, sender))) return undefined
    const now = findTicked((await this.#ports.comments.find(comment, 'command'))?.body ?? '')
    const ticked = told.filter((marker) => now.includes(marker))
    const missed = await this.#findMissed(campaign, ticked)
    return missed && { ...missed, by: sender.login }
  }

  // Apps can edit our comments too. Without a webhook the last editor counts.
  async #observeFound(campaign: string, { nodeId, markers }: Ticked): Promise<SeenTicks | undefined> {
    const missed = await this.#findMissed(campaign, markers)
    if (missed === undefined) return undefined
    const edited = await this.#findTicked({ nodeId, markers: missed.markers })
    return { ...missed, by: edited?.by }
  }

  async #findMissed(campaign: string, ticked: readonly string[]) {
    const driver = ticked.length === 0 ? undefined : await this.#parts.campaigns.find(campaign)
    const markers = driver?.findMissed(ticked) ?? []
    return driver === undefined || markers.length === 0 ? undefined : { driver, markers }
  }

  async #findTicked({ nodeId, markers }: Ticked): Promise<{ body: string; by?: string } | undefined> {
    const { body, editor } = (await findEdited(this.#ports.api, nodeId)) ?? { body: '' }
    const ticked = findTicked(body)
    if (editor === undefined || !markers.every((marker) => ticked.includes(marker))) return undefined
    return (await mayWrite(this.#ports, editor)) ? { body, by: editor.login } : { body }
  }

  async #apply({ driver, ...ticks }: SeenTicks): Promise<void> {
    const offered = boxesFor(driver.snapshot.state).map(({ marker }) => marker)
    for (const action of decideBoxes(offered, ticks))
      if (action.type === 'obey') await this.#obey(driver, action.command, action.by)
      else await this.#tellRefused(driver, action.text)
    // Untick the box, so that the next tick is a new request.
    driver.showAgain(ticks.markers)
  }

  async #obey(driver: CampaignDriver, command: Command, by: string): Promise<void> {
    const reply = await this.#parts.steering.obey(driver, command, by)
    if (reply.status === 'refused') await this.#tellRefused(driver, reply.text)
  }

  async #tellRefused({ snapshot }: CampaignDriver, text: string): Promise<void> {
    const { direction } = snapshot.state.campaign.control
    if (direction !== undefined) await this.#ports.comments.answer(direction.issue, `😕 ${text}`)
  }
}

function notOffered(ordinal: number): string {
  return `Candidate ${ordinal} is no longer offered. \`/loreley promote ${ordinal}\` still promotes it.`
}

function findNewTicks(before: string, after: string): readonly string[] {
  const old = new Set(findTicked(before))
  return findTicked(after).filter((marker) => !old.has(marker))
}
