import { react } from '../github/issues.ts'
import { Recent } from '../github/recent.ts'
import { findCandidate } from '../protocol/dispatch.ts'
import { HELP } from '../reports/command-replies.ts'
import { findTicked } from '../reports/dashboard-page.ts'
import type { EventOf, IssueFacts } from './app-event.ts'
import type { CampaignDriver } from './campaign-driver.ts'
import { type Command, type CommandReading, commandOfBox, commandOfButton, findCommand } from './commands.ts'
import { obstaclesOf } from './config-desk.ts'
import { findShown } from './dashboard.ts'
import type { Sender } from './envelope.ts'
import type { IssueDesk, IssueDesks } from './issue-desk.ts'
import type { PullWatch } from './pull-watch.ts'
import { done, type Reply, refused } from './reply.ts'
import { mayWrite, type RepositoryTools } from './repository-tools.ts'

interface CommandDesks extends IssueDesks {
  readonly issues: IssueDesk
  readonly pulls: PullWatch
}

const LATE_MS = 60_000
const STRANGER = 'Only people who may write to this repository can steer Loreley.'

/** Hears what people say, tick and press, and asks whether they may. */
export class CommandDesk {
  readonly #tools: RepositoryTools
  readonly #desks: CommandDesks
  /** Comments that were heard already: GitHub may tell of one twice, and the timer looks for missed ones. */
  readonly #heard = new Recent<true>(1000)
  /** When boxes were last obeyed without an event, which may come late. */
  readonly #found = new Recent<number>(1000)

  constructor(tools: RepositoryTools, desks: CommandDesks) {
    this.#tools = tools
    this.#desks = desks
  }

  async commented({ issue, comment, body }: EventOf<'commented'>, sender: Sender): Promise<void> {
    const reading = findCommand(body)
    if (reading === undefined || sender.isBot || this.#heard.get(`${comment}`)) return
    this.#heard.set(`${comment}`, true)
    const { api, comments } = this.#tools
    await react(api, comment, 'eyes')
    const reply = (await mayWrite(this.#tools, sender))
      ? await this.#answer(issue, reading, sender)
      : refused(STRANGER)
    await react(api, comment, reply.status === 'done' ? 'rocket' : 'confused')
    await comments.answer(issue.number, `${reply.status === 'done' ? '✅' : '😕'} ${reply.text}`)
  }

  async #answer(issue: IssueFacts, reading: CommandReading, sender: Sender): Promise<Reply> {
    if (reading.status === 'unknown') return refused(reading.hint)
    const { command } = reading
    if (command.name === 'help') return done(HELP)
    const driver = await this.#driverFor(issue)
    if (driver === undefined) return await this.#begin(issue, command)
    const isHere = command.name === 'ci' && command.pull === undefined && issue.isPull
    const meant: Command = isHere ? { name: 'ci', pull: issue.number } : command
    return await this.#desks.steering.obey(driver, meant, sender.login)
  }

  async #begin(issue: IssueFacts, { name }: Command): Promise<Reply> {
    if (name !== 'start' || issue.isPull)
      return refused('There is no campaign here: put the label on an issue first.')
    const reading = await this.#desks.config.read()
    if (reading.status !== 'read') return refused(obstaclesOf(reading).join(' '))
    const [config] = reading.config.campaigns.values()
    return config === undefined
      ? refused('The config names no campaign.')
      : await this.#desks.issues.start(issue, config)
  }

  async #driverFor(issue: IssueFacts): Promise<CampaignDriver | undefined> {
    const { campaigns } = this.#desks
    if (!issue.isPull) return await campaigns.ofIssue(issue.number)
    const all = await campaigns.all()
    return all.find(({ snapshot }) =>
      snapshot.state.campaign.control.pulls.some(({ number }) => number === issue.number),
    )
  }

  // Only in our own comment, only boxes that were not ticked before, and only by people who may write.
  async ticked({ author, body, before }: EventOf<'comment-edited'>, sender: Sender): Promise<void> {
    const campaign = author === this.#tools.actor ? findShown(body) : undefined
    if (campaign === undefined || !(await mayWrite(this.#tools, sender))) return
    // One that is left out here for being ticked twice in a minute is found ticked at the next report.
    const now = this.#tools.clock.now()
    const isLate = (marker: string): boolean =>
      now - (this.#found.get(`${campaign} ${marker}`) ?? Number.NEGATIVE_INFINITY) < LATE_MS
    const markers = findNewTicks(before, body).filter((marker) => !isLate(marker))
    await this.#obeyBoxes(campaign, markers, sender.login)
  }

  /** Boxes that nobody told us of. */
  async foundTicked(campaign: string, markers: readonly string[]): Promise<void> {
    for (const marker of markers) this.#found.set(`${campaign} ${marker}`, this.#tools.clock.now())
    await this.#obeyBoxes(campaign, markers, 'a tick in this comment')
  }

  async #obeyBoxes(campaign: string, markers: readonly string[], by: string): Promise<void> {
    const commands = markers.flatMap((marker) => commandOfBox(marker) ?? [])
    await this.#obeyAll(campaign, commands, by)
    // A box that was ticked goes back to what it was: the next tick is a new wish.
    const driver = markers.length === 0 ? undefined : await this.#desks.campaigns.find(campaign)
    driver?.showAgain(markers)
  }

  async pullTicked({ pull, before, body }: EventOf<'pull-edited'>, sender: Sender): Promise<void> {
    const campaign = this.#desks.pulls.campaignOf(pull)
    const commands = findNewTicks(before, body).flatMap((marker): Command[] =>
      marker === 'ci' ? [{ name: 'ci', pull: pull.number }] : [],
    )
    if (campaign !== undefined && (await mayWrite(this.#tools, sender)))
      await this.#obeyAll(campaign, commands, sender.login)
  }

  async pressed({ externalId, identifier }: EventOf<'button'>, sender: Sender): Promise<void> {
    const found = findCandidate(externalId)
    const command = found && commandOfButton(identifier, found.ordinal)
    if (found !== undefined && command !== undefined && (await mayWrite(this.#tools, sender)))
      await this.#obeyAll(found.campaign, [command], sender.login)
  }

  async #obeyAll(campaign: string, commands: readonly Command[], by: string): Promise<void> {
    const driver = commands.length === 0 ? undefined : await this.#desks.campaigns.find(campaign)
    if (driver === undefined) return
    for (const command of commands) {
      const reply = await this.#desks.steering.obey(driver, command, by)
      const { direction } = driver.snapshot.state.campaign.control
      if (reply.status === 'refused' && direction !== undefined)
        await this.#tools.comments.answer(direction.issue, `😕 ${reply.text}`)
    }
  }
}

function findNewTicks(before: string, after: string): readonly string[] {
  const old = new Set(findTicked(before))
  return findTicked(after).filter((marker) => !old.has(marker))
}
