import { Recent } from '../../github/api/recent.ts'
import { listReactions, react } from '../../github/issues/issues.ts'
import { HELP } from '../../reports/issues/command-replies.ts'
import type { CampaignDriver } from '../campaign/campaign-driver.ts'
import { obstaclesOf } from '../config/repository-config.ts'
import type { ActorPort, ApiPort, CommentsPort, LogPort, PermissionsPort } from '../ports.ts'
import type { EventOf, SeenIssue } from '../reconcile/evidence.ts'
import type { CampaignIssues, IssueParts } from './campaign-issues.ts'
import { type Command, type CommandReading, findCommand } from './command-syntax.ts'
import { done, type Reply, refused, replyTo } from './reply.ts'
import { mayWrite, type Sender } from './sender.ts'

type CommentPorts = ApiPort & ActorPort & CommentsPort & LogPort & PermissionsPort

interface CommentParts extends IssueParts {
  readonly issues: CampaignIssues
}

const STRANGER = 'Only people with write access to this repository can steer Loreley.'
const NO_CAMPAIGN = 'There is no campaign here. Put the label on an issue first.'

/** A command in a comment, with the issue's text at that moment. */
export interface SaidCommand extends Omit<EventOf<'commented'>, 'type'> {
  readonly sender: Sender
}

/** What is known about a comment. Facts after the one that decides are missing. */
export interface SeenComment {
  readonly reading: CommandReading | undefined
  /** By a bot, or handled by this process before. */
  readonly isOver: boolean
  readonly mayWrite?: boolean
  /** Any process has answered it. */
  readonly isAnswered?: boolean
}

export type CommentAction =
  | { readonly type: 'ignore' }
  | { readonly type: 'turn-away' }
  | { readonly type: 'answer'; readonly reading: CommandReading }

/** Whether a comment gets an answer. */
export function decideComment(seen: SeenComment): CommentAction {
  const { reading } = seen
  if (reading === undefined || seen.isOver) return { type: 'ignore' }
  if (seen.mayWrite !== true) return { type: 'turn-away' }
  return seen.isAnswered === false ? { type: 'answer', reading } : { type: 'ignore' }
}

/** What a command asks for, here. */
export type Wish =
  | { readonly type: 'reply'; readonly reply: Reply }
  | { readonly type: 'begin'; readonly at: string | undefined }
  | { readonly type: 'steer'; readonly command: Command }

/** What a command asks for on an issue or pull request that belongs to a campaign, or does not. */
export function decideWish(
  reading: CommandReading,
  { number, isPull }: Pick<SeenIssue, 'number' | 'isPull'>,
  { hasCampaign, at }: { readonly hasCampaign: boolean; readonly at?: string | undefined },
): Wish {
  if (reading.status === 'unknown') return { type: 'reply', reply: refused(reading.hint) }
  const { command } = reading
  if (command.name === 'help') return { type: 'reply', reply: done(HELP) }
  if (!hasCampaign)
    return command.name === 'start' && !isPull
      ? { type: 'begin', at }
      : { type: 'reply', reply: refused(NO_CAMPAIGN) }
  // Later changes to the issue count, even if we see the command after them.
  if (command.name === 'start' || command.name === 'resume')
    return { type: 'steer', command: { ...command, at } }
  const isThisPull = command.name === 'ci' && command.pull === undefined && isPull
  return { type: 'steer', command: isThisPull ? { name: 'ci', pull: number } : command }
}

/** Obeys commands in comments, and replies once. */
export class CommentCommands {
  readonly #ports: CommentPorts
  readonly #parts: CommentParts
  /** Comments that were handled. GitHub may report one twice, and the timer looks for missed ones. */
  readonly #heard = new Recent<true>(1000)
  /** Commands whose acknowledgement is shown or being sent. */
  readonly #shown = new Recent<Promise<void>>(1000)
  /** By issue and login: people who were told that they may not steer. */
  readonly #turnedAway = new Recent<true>(1000)

  constructor(ports: CommentPorts, parts: CommentParts) {
    this.#ports = ports
    this.#parts = parts
  }

  async obey(said: SaidCommand): Promise<void> {
    const action = decideComment(await this.#observe(said))
    if (action.type === 'turn-away') await this.#turnAway(said.issue, said.sender)
    if (action.type === 'answer') await this.#answer(said, action.reading)
  }

  /** Whether this process has handled a command. */
  readonly hasHeard = (comment: number): boolean => this.#heard.get(`${comment}`) === true

  /** Acknowledges a command before its turn comes. */
  async acknowledge({ comment, body }: EventOf<'commented'>, sender: Sender): Promise<void> {
    if (findCommand(body) === undefined || this.hasHeard(comment)) return
    if (await mayWrite(this.#ports, sender)) await this.#showSeen(comment)
  }

  async #observe({ comment, body, sender }: SaidCommand): Promise<SeenComment> {
    const reading = findCommand(body)
    const isOver = sender.isBot || this.hasHeard(comment)
    if (reading === undefined || isOver) return { reading, isOver }
    if (!(await mayWrite(this.#ports, sender))) return { reading, isOver, mayWrite: false }
    // Another process may have found it by polling before its webhook came.
    const isAnswered = (await findProgress(this.#ports, comment)) === 'answered'
    return { reading, isOver, mayWrite: true, isAnswered }
  }

  // Anybody may comment, so limit how much that makes us write, and let it wait behind real commands.
  async #turnAway({ number }: SeenIssue, { login }: Sender): Promise<void> {
    const key = `${number} ${login}`
    if (this.#turnedAway.get(key) === true) return
    this.#turnedAway.set(key, true)
    await this.#ports.comments.answer(number, `😕 ${STRANGER}`, 'report')
  }

  async #answer({ issue, comment, at, sender }: SaidCommand, reading: CommandReading): Promise<void> {
    this.#heard.set(`${comment}`, true)
    await this.#showSeen(comment)
    const reply = await replyTo(this.#ports, { issue: issue.number }, async () => {
      const driver = reading.status === 'unknown' ? undefined : await this.#driverFor(issue)
      const wish = decideWish(reading, issue, { hasCampaign: driver !== undefined, at })
      return await this.#apply(wish, { issue, driver, sender })
    })
    try {
      await react(this.#ports.api, comment, reply.status === 'done' ? 'rocket' : 'confused')
    } catch (error) {
      // A command without result and reply is found again by the timer.
      if (reply.status === 'refused') this.#heard.delete(`${comment}`)
      throw error
    }
    await this.#ports.comments.answer(issue.number, `${reply.status === 'done' ? '✅' : '😕'} ${reply.text}`)
  }

  async #apply(
    wish: Wish,
    { issue, driver, sender }: Pick<SaidCommand, 'issue' | 'sender'> & { driver: CampaignDriver | undefined },
  ): Promise<Reply> {
    if (wish.type === 'reply') return wish.reply
    if (wish.type === 'begin') return await this.#begin(issue, wish.at)
    return driver === undefined
      ? refused(NO_CAMPAIGN)
      : await this.#parts.steering.obey(driver, wish.command, sender.login)
  }

  async #begin(issue: SeenIssue, at: string | undefined): Promise<Reply> {
    const reading = await this.#parts.config.read()
    if (reading.status !== 'read') return refused(obstaclesOf(reading).join(' '))
    const [config] = reading.config.campaigns.values()
    if (config === undefined) return refused('The config names no campaign.')
    return await this.#parts.issues.start(issue, config, at)
  }

  async #driverFor(issue: SeenIssue): Promise<CampaignDriver | undefined> {
    const { campaigns } = this.#parts
    if (!issue.isPull) return await campaigns.ofIssue(issue.number)
    const all = await campaigns.all()
    return all.find(({ snapshot }) =>
      snapshot.state.campaign.control.pulls.some(({ number }) => number === issue.number),
    )
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
