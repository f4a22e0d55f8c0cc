import { LoreleyError } from '../../errors.ts'
import { Recent } from '../../github/api/recent.ts'
import { listReactions, react } from '../../github/issues/issues.ts'
import { findEdited } from '../../github/issues/last-edits.ts'
import { editPull, type PullFacts } from '../../github/pulls.ts'
import { findCandidate } from '../../protocol/dispatch.ts'
import { boxesFor, clearTicks, findTicked } from '../../reports/campaign/checkboxes.ts'
import { HELP } from '../../reports/issues/command-replies.ts'
import type { CampaignDriver } from '../campaign/campaign-driver.ts'
import { findShown, type Ticked } from '../campaign/dashboard.ts'
import { obstaclesOf } from '../config/repository-config.ts'
import type { ActorPort, ApiPort, ClockPort, CommentsPort, LogPort, PermissionsPort } from '../ports.ts'
import { findOwn } from '../pulls/pull-watch.ts'
import type { EventOf, Evidence, SeenIssue } from '../reconcile/evidence.ts'
import type { CampaignIssues, IssueParts } from './campaign-issues.ts'
import { type Command, type CommandReading, commandOfBox, findButton, findCommand } from './command-syntax.ts'
import { answerPress, isAnswered } from './press-answers.ts'
import { done, type Reply, refused } from './reply.ts'
import { mayWrite, type Sender } from './sender.ts'

export type CommandPorts = ApiPort & ActorPort & ClockPort & CommentsPort & LogPort & PermissionsPort

interface CommandParts extends IssueParts {
  readonly issues: CampaignIssues
}

const STRANGER = 'Only people with write access to this repository can steer Loreley.'

/** A command in a comment, with the issue's text at that moment. */
export interface SaidCommand extends Omit<EventOf<'commented'>, 'type'> {
  readonly sender: Sender
}

/** Obeys comments, checkboxes and buttons of people with write access. */
export class Commands {
  readonly #ports: CommandPorts
  readonly #parts: CommandParts
  /** Comments that were handled. GitHub may report one twice, and the timer looks for missed ones. */
  readonly #heard = new Recent<true>(1000)
  /** Commands whose acknowledgement is shown or being sent. */
  readonly #shown = new Recent<Promise<void>>(1000)
  /** By issue and login: people who were told that they may not steer. */
  readonly #turnedAway = new Recent<true>(1000)

  constructor(ports: CommandPorts, parts: CommandParts) {
    this.#ports = ports
    this.#parts = parts
  }

  /** Obeys a webhook that carries a command in any form. */
  async obey({ event, sender, delivery }: Evidence): Promise<void> {
    switch (event.type) {
      case 'commented':
        return await this.obeySaid({ ...event, sender })
      case 'comment-edited':
        return await this.#obeyTicks(event, sender)
      case 'pull-edited':
        return await this.#obeyPullTick(event, sender)
      case 'button':
        return await this.#obeyButton(event, sender, delivery)
      default:
    }
  }

  /** Obeys a command and replies, once. */
  async obeySaid({ issue, comment, body, at, sender }: SaidCommand): Promise<void> {
    const reading = findCommand(body)
    if (reading === undefined || sender.isBot || this.hasHeard(comment)) return
    if (!(await mayWrite(this.#ports, sender))) return await this.#turnAway(issue, sender)
    // Another process may have found it by polling before its webhook came.
    if ((await findProgress(this.#ports, comment)) === 'answered') return
    this.#heard.set(`${comment}`, true)
    await this.#showSeen(comment)
    const reply = await this.#try({ issue: issue.number }, () =>
      this.#answer(issue, withTime(reading, at), sender),
    )
    try {
      await react(this.#ports.api, comment, reply.status === 'done' ? 'rocket' : 'confused')
    } catch (error) {
      // A command without result and reply is found again by the timer.
      if (reply.status === 'refused') this.#heard.delete(`${comment}`)
      throw error
    }
    await this.#ports.comments.answer(issue.number, `${reply.status === 'done' ? '✅' : '😕'} ${reply.text}`)
  }

  /** Whether this process has handled a command. */
  readonly hasHeard = (comment: number): boolean => this.#heard.get(`${comment}`) === true

  // Anybody may comment, so limit how much that makes us write, and let it wait behind real commands.
  async #turnAway({ number }: SeenIssue, { login }: Sender): Promise<void> {
    const key = `${number} ${login}`
    if (this.#turnedAway.get(key) === true) return
    this.#turnedAway.set(key, true)
    await this.#ports.comments.answer(number, `😕 ${STRANGER}`, 'report')
  }

  /** Acknowledges a command before its turn comes. */
  async acknowledge({ comment, body }: EventOf<'commented'>, sender: Sender): Promise<void> {
    if (findCommand(body) === undefined || this.hasHeard(comment)) return
    if (await mayWrite(this.#ports, sender)) await this.#showSeen(comment)
  }

  // Once, and before the reaction that shows the result.
  #showSeen(comment: number): Promise<void> {
    const shown = this.#shown.get(`${comment}`) ?? this.#showEyes(comment)
    this.#shown.set(`${comment}`, shown)
    return shown
  }

  async #showEyes(comment: number): Promise<void> {
    try {
      await react(this.#ports.api, comment, 'eyes')
    } catch (error) {
      this.#ports.log('warn', 'a command was not acknowledged', { comment, error })
    }
  }

  // People get an answer even if we or GitHub fail.
  async #try(facts: Readonly<Record<string, unknown>>, work: () => Promise<Reply>): Promise<Reply> {
    try {
      return await work()
    } catch (error) {
      this.#ports.log('error', 'a command failed', { ...facts, error })
      return refused(explainFault(error))
    }
  }

  async #answer(issue: SeenIssue, reading: CommandReading, sender: Sender): Promise<Reply> {
    if (reading.status === 'unknown') return refused(reading.hint)
    const { command } = reading
    if (command.name === 'help') return done(HELP)
    const driver = await this.#driverFor(issue)
    if (driver === undefined) return await this.#begin(issue, command)
    const isHere = command.name === 'ci' && command.pull === undefined && issue.isPull
    const meant: Command = isHere ? { name: 'ci', pull: issue.number } : command
    return await this.#parts.steering.obey(driver, meant, sender.login)
  }

  async #begin(issue: SeenIssue, command: Command): Promise<Reply> {
    if (command.name !== 'start' || issue.isPull)
      return refused('There is no campaign here. Put the label on an issue first.')
    const reading = await this.#parts.config.read()
    if (reading.status !== 'read') return refused(obstaclesOf(reading).join(' '))
    const [config] = reading.config.campaigns.values()
    if (config === undefined) return refused('The config names no campaign.')
    return await this.#parts.issues.start(issue, config, command.at)
  }

  async #driverFor(issue: SeenIssue): Promise<CampaignDriver | undefined> {
    const { campaigns } = this.#parts
    if (!issue.isPull) return await campaigns.ofIssue(issue.number)
    const all = await campaigns.all()
    return all.find(({ snapshot }) =>
      snapshot.state.campaign.control.pulls.some(({ number }) => number === issue.number),
    )
  }

  // Only new ticks in our own comment by people with write permission count. A box that is no longer ticked was obeyed:
  // the report clears it.
  async #obeyTicks({ author, comment, body, before }: EventOf<'comment-edited'>, sender: Sender) {
    const told = findNewTicks(before, body)
    const campaign = author === this.#ports.actor && told.length > 0 ? findShown(body) : undefined
    if (campaign === undefined || !(await mayWrite(this.#ports, sender))) return
    const now = findTicked((await this.#ports.comments.find(comment, 'command'))?.body ?? '')
    const driver = await this.#parts.campaigns.find(campaign)
    const markers = driver?.findMissed(told.filter((marker) => now.includes(marker))) ?? []
    await this.#obeyBoxes(campaign, markers, sender.login)
  }

  /** Obeys boxes that were found ticked. Apps can edit our comments too, so a bot's ticks are cleared. */
  async obeyFoundTicks(campaign: string, { nodeId, markers: ticked }: Ticked): Promise<void> {
    const driver = ticked.length === 0 ? undefined : await this.#parts.campaigns.find(campaign)
    const markers = driver?.findMissed(ticked) ?? []
    if (markers.length === 0) return
    const edited = await this.#findTicked({ nodeId, markers })
    if (edited?.by === undefined) return driver?.showAgain(markers)
    await this.#obeyBoxes(campaign, markers, edited.by)
  }

  // A webhook names the person who ticked. Without one, the last editor counts.
  async #findTicked({ nodeId, markers }: Ticked): Promise<{ body: string; by?: string } | undefined> {
    const { body, editor } = (await findEdited(this.#ports.api, nodeId)) ?? { body: '' }
    const ticked = findTicked(body)
    if (editor === undefined || !markers.every((marker) => ticked.includes(marker))) return undefined
    return (await mayWrite(this.#ports, editor)) ? { body, by: editor.login } : { body }
  }

  // Whatever the comment contains, obey only boxes that the campaign offers.
  async #obeyBoxes(campaign: string, markers: readonly string[], by: string): Promise<void> {
    const driver = markers.length === 0 ? undefined : await this.#parts.campaigns.find(campaign)
    if (driver === undefined) return
    const offered = new Set(boxesFor(driver.snapshot.state).map(({ marker }) => marker))
    for (const marker of markers) {
      const command = commandOfBox(marker)
      if (command !== undefined && offered.has(marker)) await this.#obey(driver, command, by)
      // Better candidates may have been found since the comment was written, so say that this one is no longer offered.
      else if (command?.name === 'promote') await this.#tellRefused(driver, notOffered(command.ordinal))
    }
    // Untick the box, so that the next tick is a new request.
    driver.showAgain(markers)
  }

  async #obeyPullTick({ pull, before, body }: EventOf<'pull-edited'>, sender: Sender): Promise<void> {
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

  async #obeyButton(
    { externalId: candidate, identifier, sha }: EventOf<'button'>,
    sender: Sender,
    delivery: string | undefined,
  ): Promise<void> {
    const found = findCandidate(candidate)
    const button = found && findButton(identifier, found.ordinal)
    if (found === undefined || button === undefined || !(await mayWrite(this.#ports, sender))) return
    const driver = await this.#parts.campaigns.find(found.campaign)
    if (driver === undefined) return
    const { direction, pressed } = driver.snapshot.state.campaign.control
    const { login: by } = sender
    const press = { delivery, by, button: button.label, candidate, sha, issue: direction?.issue }
    const isObeyed = delivery !== undefined && pressed?.includes(delivery) === true
    if (isObeyed || (await isAnswered(this.#ports, press))) return
    const obey = () => this.#parts.steering.obey(driver, button.command, by)
    const mark = { type: 'pressed', delivery: delivery ?? '' } as const
    await answerPress(this.#ports, press, await this.#try({ candidate }, () => driver.takingWith(mark, obey)))
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

/** What our own reactions to a command say. Anybody may react, so only ours count. */
export async function findProgress(
  { api, actor }: ApiPort & ActorPort,
  comment: number,
): Promise<'unseen' | 'seen' | 'answered'> {
  const ours = await listReactions(api, comment, actor)
  if (ours.has('rocket') || ours.has('confused')) return 'answered'
  return ours.has('eyes') ? 'seen' : 'unseen'
}

function notOffered(ordinal: number): string {
  return `Candidate ${ordinal} is no longer offered. \`/loreley promote ${ordinal}\` still promotes it.`
}

function explainFault(error: unknown): string {
  return error instanceof LoreleyError
    ? `That did not work. ${error.message} ${error.hint}`
    : 'That did not work. The log of the app says why. Try again later.'
}

// Later changes to the issue count, even if we see the command after them.
function withTime(reading: CommandReading, at: string | undefined): CommandReading {
  if (reading.status === 'unknown') return reading
  const { command } = reading
  const isWish = command.name === 'start' || command.name === 'resume'
  return isWish ? { ...reading, command: { ...command, at } } : reading
}

function findNewTicks(before: string, after: string): readonly string[] {
  const old = new Set(findTicked(before))
  return findTicked(after).filter((marker) => !old.has(marker))
}
