import { CONFIG_FILE } from '../config/load.ts'
import { findBindingInJobName, findCandidate } from '../protocol/dispatch.ts'
import type { AppEvent, EventOf } from './app-event.ts'
import type { CampaignDriver } from './campaign-driver.ts'
import { Campaigns } from './campaigns.ts'
import { CommandDesk } from './command-desk.ts'
import { ConfigDesk } from './config-desk.ts'
import type { Sender } from './envelope.ts'
import { IssueDesk } from './issue-desk.ts'
import { MissedEvents } from './missed-events.ts'
import { PullDesk } from './pull-desk.ts'
import { PullWatch } from './pull-watch.ts'
import { reconfigure } from './reconfigure.ts'
import { type RepositoryTools, WORKFLOW_PATH } from './repository-tools.ts'
import { ScheduleDesk } from './schedule-desk.ts'
import { SteeringDesk } from './steering-desk.ts'

/** What the app does for one repository. One thing at a time: the queue sees to that. */
export class RepositoryHost {
  readonly #tools: RepositoryTools
  readonly #pulls: PullWatch
  readonly #campaigns: Campaigns
  readonly #config: ConfigDesk
  readonly #issues: IssueDesk
  readonly #commands: CommandDesk
  readonly #missed: MissedEvents
  readonly #schedule: ScheduleDesk
  #reconciledAt = Number.NEGATIVE_INFINITY
  #surveyedAt = Number.NEGATIVE_INFINITY

  constructor(tools: RepositoryTools) {
    this.#tools = tools
    const pullDesk = new PullDesk(tools)
    const campaigns = new Campaigns(tools, pullDesk, (campaign, markers) =>
      this.#commands.foundTicked(campaign, markers),
    )
    const config = new ConfigDesk(tools)
    const desks = { campaigns, config, steering: new SteeringDesk(tools, pullDesk) }
    this.#campaigns = campaigns
    this.#config = config
    this.#pulls = new PullWatch(tools, campaigns, pullDesk)
    this.#issues = new IssueDesk(tools, desks)
    this.#commands = new CommandDesk(tools, { ...desks, issues: this.#issues, pulls: this.#pulls })
    this.#missed = new MissedEvents(tools)
    this.#schedule = new ScheduleDesk(tools, desks)
  }

  /** Takes in an event. Whatever it says, it is also an occasion to see whether something was missed. */
  async handle(event: AppEvent, sender: Sender): Promise<void> {
    await this.#react(event, sender)
    // The timer sees to it, where one runs: servers may sleep.
    if (this.#tools.clock.now() - this.#reconciledAt >= 2 * this.#tools.settings.reconcileMs)
      await this.reconcile()
  }

  /** Reads again what another process has changed meanwhile. */
  async reload(): Promise<void> {
    await this.#campaigns.all()
  }

  /** Compares everything with what GitHub says. Nothing depends on a webhook arriving. */
  async reconcile(): Promise<void> {
    const { clock, settings } = this.#tools
    this.#reconciledAt = clock.now()
    const drivers = await this.#campaigns.all()
    if (clock.now() - this.#surveyedAt >= settings.surveyMs) await this.#survey(drivers)
    else for (const driver of drivers) await this.#attend(driver, () => this.#followRuns(driver))
    await this.#schedule.follow()
  }

  async #survey(drivers: readonly CampaignDriver[]): Promise<void> {
    this.#surveyedAt = this.#tools.clock.now()
    const reading = await this.#config.read()
    if (reading.status === 'missing' && drivers.length === 0) return
    const isClear = await this.#config.review(reading)
    if (reading.status === 'read') this.#schedule.note(reading.config)
    for (const driver of drivers) await this.#attend(driver, () => this.#follow(driver))
    const issues = drivers.map(({ snapshot }) => snapshot.state.campaign.control.direction?.issue ?? 0)
    // While something stands in the way, people know: they are not told once more at every round.
    const isReady = isClear && reading.status === 'read'
    const labels = isReady ? await this.#missed.labels(reading.config, new Set(issues)) : []
    for (const { event, sender } of [...(await this.#missed.commands()), ...labels])
      await this.#react(event, sender)
  }

  // What is wrong with one campaign keeps no other waiting.
  async #attend({ snapshot }: CampaignDriver, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      const { campaign } = snapshot.state
      this.#tools.log('error', 'a campaign could not be followed', { campaign: campaign.id, error })
    }
  }

  async #follow(driver: CampaignDriver): Promise<void> {
    await this.#pulls.follow(driver)
    await this.#issues.follow(driver)
    await this.#followRuns(driver)
  }

  async #followRuns(driver: CampaignDriver): Promise<void> {
    const { campaign, jobs } = driver.snapshot.state
    if (campaign.status.phase !== 'finished' || jobs.size > 0 || campaign.control.unchecked.length > 0)
      await driver.reconcile()
  }

  async #react(event: AppEvent, sender: Sender): Promise<void> {
    switch (event.type) {
      case 'run-completed':
        return await this.#completed(event)
      case 'job-completed':
        return this.#noteBinding(event)
      case 'labelled':
        return await this.#issues.labelled(event, sender)
      case 'unlabelled':
        return await this.#issues.unlabelled(event)
      case 'issue-gone':
        return await this.#issues.gone(event)
      case 'issue-edited':
        return await this.#issues.edited(event, sender)
      case 'commented':
        return await this.#commands.commented(event, sender)
      case 'comment-edited':
        return await this.#commands.ticked(event, sender)
      case 'pull-edited':
        return await this.#commands.pullTicked(event, sender)
      case 'button':
        return await this.#commands.pressed(event, sender)
      case 'pull-closed':
        return await this.#pulls.closed(event)
      case 'pull-changed':
        return await this.#config.check(event.pull)
      case 'pushed':
        return await this.#pushed(event)
      case 'other':
        return
    }
  }

  // It spares the question for a run's jobs.
  #noteBinding({ run, name }: EventOf<'job-completed'>): void {
    const binding = findBindingInJobName(name)
    if (binding !== undefined) this.#tools.bindings.set(String(run), binding)
  }

  async #completed({ run }: EventOf<'run-completed'>): Promise<void> {
    const found = findCandidate(run.title.split(' ')[2] ?? '')
    const driver = found && (await this.#campaigns.find(found.campaign))
    await driver?.completed(run)
  }

  // The config of the default branch applies at once; a mended one closes the issue about it. Any other push changes
  // nothing: a limit that somebody set by command would be lost.
  async #pushed({ branch, paths }: EventOf<'pushed'>): Promise<void> {
    if (branch !== this.#tools.defaultBranch) return
    if (!paths.includes(CONFIG_FILE) && !paths.includes(WORKFLOW_PATH)) return
    const reading = await this.#config.read()
    const drivers = await this.#campaigns.all()
    if (reading.status === 'missing' && drivers.length === 0) return
    await this.#config.review(reading)
    if (reading.status !== 'read') return
    this.#schedule.note(reading.config)
    await this.#schedule.follow()
    const obstacles: string[] = []
    for (const driver of drivers) {
      const config = reading.config.campaigns.get(driver.snapshot.config.name)
      const isActive = driver.snapshot.state.campaign.status.phase !== 'finished'
      if (config !== undefined && isActive)
        obstacles.push(...(await reconfigure(this.#tools, driver, config)))
    }
    if (obstacles.length > 0) await this.#config.tell(obstacles)
  }
}
