import type { ConfigFile } from '../../config/campaign-config.ts'
import { CONFIG_FILE } from '../../config/file/load.ts'
import { findBindingInJobName, findCandidate, isEvaluation } from '../../protocol/dispatch.ts'
import { isForeign } from '../campaign/adoption.ts'
import type { CampaignDriver } from '../campaign/campaign-driver.ts'
import { Campaigns, type CampaignsPorts } from '../campaign/campaigns.ts'
import { followDivergence, WORKFLOWS_FOLDER } from '../campaign/divergence.ts'
import { Schedule, type SchedulePorts } from '../campaign/schedule.ts'
import { ConfigChecks } from '../config/config-checks.ts'
import { ConfigWatch, type ConfigWatchPorts } from '../config/config-watch.ts'
import { type ConfigReading, RepositoryConfig } from '../config/repository-config.ts'
import { CampaignIssues } from '../people/campaign-issues.ts'
import { type CommandPorts, Commands } from '../people/commands.ts'
import { MissedEvents } from '../people/missed-events.ts'
import type { Sender } from '../people/sender.ts'
import { Steering } from '../people/steering.ts'
import { type PullPorts, PullRequests } from '../pulls/pull-requests.ts'
import { PullWatch } from '../pulls/pull-watch.ts'
import { WORKFLOW_PATH } from '../runs/workflow.ts'
import type { AppEvent, EventOf } from './evidence.ts'

/** All that reconciling a repository needs. Only the wiring names it. */
export type RepositoryPorts = CampaignsPorts & SchedulePorts & CommandPorts & ConfigWatchPorts & PullPorts

/** What the app does for one repository. One thing at a time: the queue sees to that. */
export class RepositoryHost {
  readonly #ports: RepositoryPorts
  readonly #pulls: PullWatch
  readonly #campaigns: Campaigns
  readonly #config: RepositoryConfig
  readonly #configWatch: ConfigWatch
  readonly #checks: ConfigChecks
  readonly #issues: CampaignIssues
  readonly #commands: Commands
  readonly #missed: MissedEvents
  readonly #schedule: Schedule
  #reconciledAt = Number.NEGATIVE_INFINITY
  #fullyReconciledAt = Number.NEGATIVE_INFINITY
  /** Something could not be followed since the last full reconcile: runs cannot even be listed without the workflow. */
  #isTroubled = false

  constructor(ports: RepositoryPorts) {
    this.#ports = ports
    const pullRequests = new PullRequests(ports)
    const config = new RepositoryConfig(ports)
    const campaigns = new Campaigns(ports, {
      pulls: pullRequests,
      config,
      onTicks: (campaign, ticked) => this.#commands.foundTicked(campaign, ticked),
    })
    this.#configWatch = new ConfigWatch(ports, config)
    this.#checks = new ConfigChecks(ports, config)
    const steering = new Steering(ports, pullRequests, this.#configWatch)
    const parts = { campaigns, config, steering }
    this.#campaigns = campaigns
    this.#config = config
    this.#pulls = new PullWatch(ports, campaigns, pullRequests)
    this.#issues = new CampaignIssues(ports, parts)
    this.#commands = new Commands(ports, { ...parts, issues: this.#issues, pulls: this.#pulls })
    this.#missed = new MissedEvents(ports, this.#commands, campaigns)
    this.#schedule = new Schedule(ports, parts)
  }

  /** Shows that a command was seen: the one thing that does not wait for its turn. */
  async acknowledge(event: EventOf<'commented'>, sender: Sender): Promise<void> {
    await this.#commands.acknowledge(event, sender)
  }

  /** Takes in an event. */
  async handle(event: AppEvent, sender: Sender): Promise<void> {
    await this.#react(event, sender)
  }

  /** Whatever an event says, it is also an occasion to see whether something was missed. */
  async reconcileIfOverdue(): Promise<void> {
    // The timer sees to it, where one runs: servers may sleep.
    if (this.#ports.clock.now() - this.#reconciledAt >= 2 * this.#ports.settings.reconcileMs)
      await this.reconcile()
  }

  /** Reads again what another process has changed meanwhile. */
  async reload(): Promise<void> {
    await this.#campaigns.all()
  }

  /** Compares everything with what GitHub says. Nothing depends on a webhook arriving. */
  async reconcile(): Promise<void> {
    const { clock, settings } = this.#ports
    this.#reconciledAt = clock.now()
    const isFull = clock.now() - this.#fullyReconciledAt >= settings.fullReconcileMs
    const campaigns = await this.#campaigns.all(isFull ? 0 : settings.reconcileMs)
    const drivers = campaigns.filter((driver) => !isForeign(driver))
    if (isFull) await this.#reconcileAll(drivers)
    else {
      for (const driver of drivers) await this.#attend(idOf(driver), () => this.#followRuns(driver))
      await this.#schedule.run()
    }
  }

  async #reconcileAll(drivers: readonly CampaignDriver[]): Promise<void> {
    this.#fullyReconciledAt = this.#ports.clock.now()
    const reading = await this.#config.read()
    if (reading.status === 'missing' && drivers.length === 0) return
    const isSuspect = this.#isTroubled
    this.#isTroubled = false
    await this.#attend('what waits', () => this.#review(reading, drivers, isSuspect))
    for (const driver of drivers) await this.#attend(idOf(driver), () => this.#follow(driver))
    await this.#attend('pull requests', () => this.#checks.follow())
    await this.#missed.comments()
  }

  async #review(
    reading: ConfigReading,
    drivers: readonly CampaignDriver[],
    isSuspect: boolean,
  ): Promise<void> {
    if (reading.status === 'read') this.#schedule.note(reading.config)
    const begin = async (): Promise<readonly string[]> =>
      reading.status === 'read' ? await this.#begin(reading.config, drivers) : []
    await this.#configWatch.follow(reading, drivers, { begin, isSuspect })
  }

  /** Begins what labels and the calendar ask for. Gives what stands in the way. */
  async #begin(config: ConfigFile, drivers: readonly CampaignDriver[]): Promise<readonly string[]> {
    const begun = drivers.map(({ snapshot }) => snapshot.state.campaign.control.direction?.issue ?? 0)
    const refused: string[] = []
    for (const event of await this.#missed.labels(config, new Set(begun)))
      refused.push(...(await this.#issues.retry(event, config)))
    return [...refused, ...(await this.#schedule.follow())]
  }

  // What is wrong with one campaign keeps no other waiting.
  async #attend(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#isTroubled = true
      this.#ports.log('error', `${what} could not be followed`, { error })
    }
  }

  async #follow(driver: CampaignDriver): Promise<void> {
    await this.#commands.foundReleases(driver, await this.#pulls.follow(driver))
    await this.#issues.follow(driver)
    await followDivergence(this.#ports, driver)
    await this.#followRuns(driver)
    driver.show()
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
        return this.#noteEvaluation(event)
      case 'labelled':
        return await this.#issues.labelled(event, sender)
      case 'unlabelled':
        return await this.#issues.unlabelled(event)
      case 'issue-gone':
        return await this.#issues.gone(event)
      case 'issue-back':
        return await this.#issues.back(event)
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
        return await this.#checks.changed(event.pull)
      case 'pushed':
        return await this.#pushed(event)
      case 'other':
        return
    }
  }

  // It spares the question for a run's jobs.
  #noteEvaluation({ run, name, label }: EventOf<'job-completed'>): void {
    if (isEvaluation(name))
      this.#ports.evaluations.set(String(run), { binding: findBindingInJobName(name), label })
  }

  async #completed({ run }: EventOf<'run-completed'>): Promise<void> {
    const found = findCandidate(run.title.split(' ')[2] ?? '')
    const driver = found && (await this.#campaigns.find(found.campaign))
    await driver?.completed(run)
  }

  // The config of the default branch applies at once; a mended one closes the issue about it.
  async #pushed({ branch, paths }: EventOf<'pushed'>): Promise<void> {
    if (branch !== this.#ports.defaultBranch) return
    if (paths.some((path) => path.startsWith(WORKFLOWS_FOLDER)))
      for (const driver of await this.#campaigns.all()) await followDivergence(this.#ports, driver)
    const isChanged = paths.includes(WORKFLOW_PATH)
    if (isChanged || paths.includes(CONFIG_FILE))
      await this.#review(await this.#config.read(), await this.#campaigns.all(), isChanged)
  }
}

function idOf({ snapshot }: CampaignDriver): string {
  return snapshot.state.campaign.id
}
