import type { CampaignConfig, ConfigFile } from '../config/campaign-config.ts'
import { react } from '../github/issues.ts'
import { findCandidate } from '../protocol/dispatch.ts'
import { findTicked } from '../reports/dashboard-page.ts'
import type { CampaignDriver } from './campaign-driver.ts'
import { campaignId, startCampaign } from './campaign-start.ts'
import { Campaigns } from './campaigns.ts'
import { type Command, commandOfBox, commandOfButton, findCommand } from './commands.ts'
import { ConfigDesk, obstaclesOf } from './config-desk.ts'
import { findShown } from './dashboard.ts'
import { PullDesk } from './pull-desk.ts'
import type { RepositoryTools } from './repository-tools.ts'
import { type Reply, SteeringDesk } from './steering-desk.ts'
import type { AppEvent, IssueFacts, PullFacts, Sender } from './webhook-events.ts'

type Event<T extends AppEvent['type']> = Extract<AppEvent, { type: T }>

const PULL_BRANCH = /^loreley\/pr\/([a-z0-9-]{1,40})\/(\d{4,9})$/

/** What the app does for one repository. One thing at a time: the queue sees to that. */
export class RepositoryHost {
  readonly #tools: RepositoryTools
  readonly #pulls: PullDesk
  readonly #campaigns: Campaigns
  readonly #config: ConfigDesk
  readonly #steering: SteeringDesk
  #reconciledAt = Number.NEGATIVE_INFINITY

  constructor(tools: RepositoryTools) {
    this.#tools = tools
    this.#pulls = new PullDesk(tools)
    this.#campaigns = new Campaigns(tools, this.#pulls)
    this.#config = new ConfigDesk(tools)
    this.#steering = new SteeringDesk(tools, this.#pulls)
  }

  /** Takes in an event. Whatever it says, it is also an occasion to see whether something was missed. */
  async handle(event: AppEvent, sender: Sender): Promise<void> {
    await this.#react(event, sender)
    if (this.#tools.clock.now() - this.#reconciledAt >= this.#tools.settings.reconcileMs)
      await this.reconcile()
  }

  /** Compares every campaign with what GitHub says. Nothing depends on a webhook arriving. */
  async reconcile(): Promise<void> {
    this.#reconciledAt = this.#tools.clock.now()
    for (const driver of await this.#campaigns.all()) {
      const { campaign, jobs } = driver.snapshot.state
      if (campaign.status.phase !== 'finished' || jobs.size > 0 || campaign.control.unchecked.length > 0)
        await driver.reconcile()
    }
  }

  async #react(event: AppEvent, sender: Sender): Promise<void> {
    switch (event.type) {
      case 'run-completed':
        return await this.#completed(event)
      case 'labelled':
        return await this.#labelled(event, sender)
      case 'unlabelled':
        return await this.#unlabelled(event)
      case 'issue-gone':
        return await this.#hold(event.issue, `the issue was ${event.how}`)
      case 'commented':
        return await this.#commented(event, sender)
      case 'comment-edited':
        return await this.#ticked(event, sender)
      case 'pull-edited':
        return await this.#pullTicked(event, sender)
      case 'button':
        return await this.#pressed(event, sender)
      case 'pull-closed':
        return await this.#pullClosed(event)
      case 'pull-changed':
        return await this.#config.check(event.pull)
      case 'pushed':
        return await this.#pushed(event)
      case 'issue-edited':
      case 'other':
        return
    }
  }

  async #completed({ run }: Event<'run-completed'>): Promise<void> {
    const found = findCandidate(run.title.split(' ')[2] ?? '')
    const driver = found && (await this.#campaigns.find(found.campaign))
    await driver?.completed(run)
  }

  // Anybody may see a label; only people who may write can spend by setting one.
  async #labelled({ issue, label }: Event<'labelled'>, sender: Sender): Promise<void> {
    if (issue.isPull || !(await this.#mayWrite(sender))) return
    const reading = await this.#config.read()
    const config = reading.status === 'read' ? findByLabel(reading.config, label) : undefined
    if (reading.status !== 'read' && label === 'loreley') return await this.#config.tell(obstaclesOf(reading))
    if (config === undefined) return
    const reply = await this.#start(issue, config)
    if (reply.status === 'refused') await this.#tools.comments.answer(issue.number, `😕 ${reply.text}`)
  }

  async #start(issue: IssueFacts, config: CampaignConfig): Promise<Reply> {
    const id = campaignId(config.name, issue.number)
    const known = await this.#campaigns.find(id)
    if (known !== undefined) return await this.#steering.obey(known, { name: 'resume' }, '')
    const direction = { issue: issue.number, title: issue.title, body: issue.body }
    const outcome = await startCampaign(this.#tools, { id, config, direction })
    if (outcome.status === 'blocked') {
      await this.#config.tell(outcome.reasons)
      return { status: 'refused', text: outcome.reasons.join(' ') }
    }
    await this.#config.tell([])
    const driver = await this.#campaigns.open(outcome.snapshot)
    await driver.take({ type: 'resumed', limits: config.limits })
    return { status: 'done', text: `${id} has begun.` }
  }

  async #unlabelled({ issue, label }: Event<'unlabelled'>): Promise<void> {
    const driver = await this.#campaigns.ofIssue(issue.number)
    if (driver?.snapshot.config.label === label) await this.#hold(issue, 'the label was taken off')
  }

  async #hold(issue: IssueFacts, detail: string): Promise<void> {
    const driver = await this.#campaigns.ofIssue(issue.number)
    await driver?.take({ type: 'hold', reason: 'issue', detail })
  }

  async #commented({ issue, comment, body }: Event<'commented'>, sender: Sender): Promise<void> {
    const reading = findCommand(body)
    if (reading === undefined || sender.isBot) return
    const { api, comments } = this.#tools
    await react(api, comment, 'eyes')
    const reply = (await this.#mayWrite(sender))
      ? reading.status === 'unknown'
        ? refused(reading.hint)
        : await this.#command(issue, reading.command, sender)
      : refused('Only people who may write to this repository can steer Loreley.')
    await react(api, comment, reply.status === 'done' ? 'rocket' : 'confused')
    await comments.answer(issue.number, `${reply.status === 'done' ? '✅' : '😕'} ${reply.text}`)
  }

  async #command(issue: IssueFacts, command: Command, sender: Sender): Promise<Reply> {
    const driver = await this.#driverFor(issue)
    if (driver !== undefined) {
      const named = command.name === 'ci' && command.pull === undefined && issue.isPull
      return await this.#steering.obey(
        driver,
        named ? { name: 'ci', pull: issue.number } : command,
        sender.login,
      )
    }
    if (command.name !== 'start')
      return refused('There is no campaign here: put the label on an issue first.')
    const reading = await this.#config.read()
    if (reading.status !== 'read') return refused(obstaclesOf(reading).join(' '))
    const [config] = reading.config.campaigns.values()
    return config === undefined ? refused('The config names no campaign.') : await this.#start(issue, config)
  }

  async #driverFor(issue: IssueFacts): Promise<CampaignDriver | undefined> {
    if (!issue.isPull) return await this.#campaigns.ofIssue(issue.number)
    const all = await this.#campaigns.all()
    return all.find(({ snapshot }) =>
      snapshot.state.campaign.control.pulls.some(({ number }) => number === issue.number),
    )
  }

  // Only in our own comment, only boxes that were not ticked before, and only by people who may write.
  async #ticked({ author, body, before }: Event<'comment-edited'>, sender: Sender): Promise<void> {
    const campaign = author === this.#tools.actor ? findShown(body) : undefined
    if (campaign === undefined) return
    const driver = await this.#campaigns.find(campaign)
    if (driver !== undefined) await this.#obeyBoxes(driver, findNewTicks(before, body), sender)
  }

  async #pullTicked({ pull, before, body }: Event<'pull-edited'>, sender: Sender): Promise<void> {
    const driver = (await this.#ofPull(pull))?.driver
    if (driver === undefined) return
    for (const marker of findNewTicks(before, body)) {
      if (marker === 'ci' && (await this.#mayWrite(sender)))
        await this.#steering.obey(driver, { name: 'ci', pull: pull.number }, sender.login)
    }
  }

  async #obeyBoxes(driver: CampaignDriver, markers: readonly string[], sender: Sender): Promise<void> {
    if (markers.length === 0 || !(await this.#mayWrite(sender))) return
    for (const marker of markers) {
      const command = commandOfBox(marker)
      if (command !== undefined) await this.#steering.obey(driver, command, sender.login)
    }
  }

  async #pressed({ externalId, identifier }: Event<'button'>, sender: Sender): Promise<void> {
    const found = findCandidate(externalId)
    const command = found && commandOfButton(identifier, found.ordinal)
    if (command === undefined || !(await this.#mayWrite(sender))) return
    const driver = await this.#campaigns.find(found?.campaign ?? '')
    if (driver !== undefined) await this.#steering.obey(driver, command, sender.login)
  }

  async #pullClosed({ pull, merged }: Event<'pull-closed'>): Promise<void> {
    const found = await this.#ofPull(pull)
    if (found === undefined) return
    const status = merged ? 'merged' : 'closed'
    await found.driver.take({ type: 'pull', ordinal: found.ordinal, status, number: pull.number })
    await this.#pulls.removeBranch(found.driver.snapshot, found.ordinal)
  }

  // A fork can name its branch like ours.
  async #ofPull({ headRef, isOwn }: PullFacts) {
    const [, campaign, digits] = PULL_BRANCH.exec(headRef) ?? []
    if (campaign === undefined || !isOwn) return undefined
    const driver = await this.#campaigns.find(campaign)
    return driver && { driver, ordinal: Number(digits) }
  }

  // Limits of the default branch apply at once; a mended config closes the issue about it.
  async #pushed({ branch }: Event<'pushed'>): Promise<void> {
    if (branch !== this.#tools.defaultBranch) return
    const reading = await this.#config.read()
    const drivers = await this.#campaigns.all()
    if (reading.status === 'missing' && drivers.length === 0) return
    await this.#config.tell(obstaclesOf(reading))
    if (reading.status !== 'read') return
    for (const driver of drivers) {
      const limits = reading.config.campaigns.get(driver.snapshot.config.name)?.limits
      const isActive = driver.snapshot.state.campaign.status.phase !== 'finished'
      if (limits !== undefined && isActive) await driver.take({ type: 'limits', limits })
    }
  }

  async #mayWrite({ login, isBot }: Sender): Promise<boolean> {
    return !isBot && (await this.#tools.permissions.canWrite(login))
  }
}

function findByLabel({ campaigns }: ConfigFile, label: string): CampaignConfig | undefined {
  return [...campaigns.values()].find((config) => config.label === label)
}

function findNewTicks(before: string, after: string): readonly string[] {
  const old = new Set(findTicked(before))
  return findTicked(after).filter((marker) => !old.has(marker))
}

function refused(text: string): Reply {
  return { status: 'refused', text }
}
