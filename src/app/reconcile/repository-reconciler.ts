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
import { AgreedWords } from '../people/agreed-words.ts'
import { CampaignIssues } from '../people/campaign-issues.ts'
import { type CommandPorts, Commands } from '../people/commands.ts'
import { CommentWatch } from '../people/comment-watch.ts'
import { Steering } from '../people/steering.ts'
import { type PullPorts, PullRequests } from '../pulls/pull-requests.ts'
import { PullWatch } from '../pulls/pull-watch.ts'
import { WORKFLOW_PATH } from '../runs/workflow.ts'
import { type Evidence, evidenceOf, groupEvidence, isByPerson, type RepositoryEvent } from './evidence.ts'
import type { Outlook } from './outlook.ts'

/** Everything that reconciling a repository needs. Only the wiring uses this type. */
export type RepositoryPorts = CampaignsPorts & SchedulePorts & CommandPorts & ConfigWatchPorts & PullPorts

/** What a reconcile looks at besides its evidence. */
type Scope = 'evidence' | 'runs' | 'everything'

/** Evidence of any kind. */
type Told = { readonly event: RepositoryEvent }

// One step may cause another, such as a confirmation and then its pull request. This bounds the chain.
const MOST_STEPS = 20

/**
 * Reconciles one repository. For each subject (config, issues, commands, pull requests, runs, schedule) it observes
 * GitHub, decides, and applies. Nothing depends on a webhook: it only means "look now" and brings evidence. Calls must
 * not overlap.
 */
export class RepositoryReconciler {
  readonly #ports: RepositoryPorts
  readonly #pulls: PullWatch
  readonly #campaigns: Campaigns
  readonly #config: RepositoryConfig
  readonly #configWatch: ConfigWatch
  readonly #configChecks: ConfigChecks
  readonly #issues: CampaignIssues
  readonly #commands: Commands
  readonly #comments: CommentWatch
  readonly #schedule: Schedule
  #reconciledAt = Number.NEGATIVE_INFINITY
  #fullyReconciledAt = Number.NEGATIVE_INFINITY
  /** Something failed since the last full reconcile. The workflow may be missing: without it runs cannot be listed. */
  #isTroubled = false
  /** What failed in this reconcile. */
  #faults: unknown[] = []
  #failed: RepositoryEvent[] = []

  constructor(ports: RepositoryPorts) {
    this.#ports = ports
    const pullRequests = new PullRequests(ports)
    this.#config = new RepositoryConfig(ports)
    this.#campaigns = new Campaigns(ports, {
      pulls: pullRequests,
      config: this.#config,
      onTicks: (campaign, ticked) => this.#commands.obeyFoundTicks(campaign, ticked),
    })
    this.#configWatch = new ConfigWatch(ports, this.#config)
    this.#configChecks = new ConfigChecks(ports, this.#config)
    this.#pulls = new PullWatch(ports, this.#campaigns, pullRequests)
    const steering = new Steering(ports, pullRequests, this.#configWatch)
    const words = new AgreedWords(ports)
    const parts = { campaigns: this.#campaigns, config: this.#config, steering, words }
    this.#issues = new CampaignIssues(ports, parts)
    this.#commands = new Commands(ports, { ...parts, issues: this.#issues, pulls: this.#pulls })
    this.#comments = new CommentWatch(ports, { ...parts, commands: this.#commands })
    this.#schedule = new Schedule(ports, this.#campaigns)
  }

  /** Acknowledges a command at once, outside the queue. */
  async acknowledge({ event, sender }: Evidence<'commented'>): Promise<void> {
    await this.#commands.acknowledge(event, sender)
  }

  /** Reloads what another process may have changed. */
  async reload(): Promise<void> {
    // The other process may have started a run that is not in the state yet.
    for (const driver of this.#campaigns.known) driver.doubt()
    await this.#campaigns.all()
  }

  /**
   * Does everything that is due and returns when to call it next. Without evidence it observes GitHub. With evidence it
   * observes only the subjects of the evidence. An empty list means that the time of an earlier outlook has come.
   */
  async reconcile(evidence?: readonly Evidence[]): Promise<Outlook> {
    const scope = this.#chooseScope(evidence)
    this.#faults = []
    this.#failed = []
    await this.#followEvidence(evidence ?? [])
    const [fault] = this.#faults
    try {
      if (scope === 'everything') await this.#followAll()
      if (scope === 'runs') await this.#followOpenRuns()
      if (scope !== 'everything') await this.#followSchedule(scope)
    } catch (error) {
      // Campaigns or config could not be read, so nothing was observed. The next reconcile is a full one.
      if (scope === 'everything') this.#lookAgain()
      throw error
    } finally {
      await this.#settle()
    }
    // Tell the caller that the evidence failed, so that it can be delivered again.
    if (fault !== undefined) throw fault
    return this.outlook
  }

  /**
   * Commits and reports everything that was gathered for later. Call it before the process ends; otherwise the next
   * process starts over.
   */
  async finish(): Promise<Outlook> {
    for (let step = 0; step < MOST_STEPS; step++) {
      const gathering = this.#campaigns.known.filter(({ isGathering }) => isGathering)
      if (gathering.length === 0) break
      for (const driver of gathering) await this.#attend(idOf(driver), () => driver.finish())
    }
    return this.outlook
  }

  // A sleeping server misses its timers, so evidence after a long gap triggers a wider look.
  #chooseScope(evidence: readonly Evidence[] | undefined): Scope {
    const { clock, settings } = this.#ports
    const now = clock.now()
    const patienceMs = evidence?.length === 0 ? settings.reconcileMs : 2 * settings.reconcileMs
    if (evidence !== undefined && now - this.#reconciledAt < patienceMs) return 'evidence'
    this.#reconciledAt = now
    if (now - this.#fullyReconciledAt < settings.fullReconcileMs) return 'runs'
    this.#fullyReconciledAt = now
    return 'everything'
  }

  // People come first, because they are waiting. A failure of one item does not delay the others.
  async #followEvidence(evidence: readonly Evidence[]): Promise<void> {
    const of = <T extends Evidence['event']['type']>(type: T) => evidenceOf(evidence, type)
    for (const { event } of of('job-completed')) this.#noteEvaluation(event)
    const changes = [...of('issue-changed'), ...of('issue-edited')]
    for (const issue of new Set(changes.map(({ event }) => event.issue.number))) {
      const told = changes.filter(({ event }) => event.issue.number === issue)
      await this.#attend('an issue', () => this.#followIssue(issue, evidence), told)
    }
    for (const told of groupEvidence(of('labelled'), ({ event }) => `${event.issue.number} ${event.label}`))
      await this.#attend(
        'a label',
        async () => {
          const { isUnsure } = await this.#issues.reconcileTold(told)
          if (isUnsure) this.#lookAgain()
        },
        told,
      )
    // In order of arrival: a comment may revoke an earlier checkbox.
    for (const each of evidence) await this.#attend('a command', () => this.#commands.obey(each), [each])
    for (const each of of('pull-closed'))
      await this.#attend('a pull request', () => this.#pulls.reconcileTold(each), [each])
    for (const each of of('run-completed'))
      await this.#attend(`run ${each.event.run.id}`, () => this.#followRun(each.event.run), [each])
    const pushes = of('pushed')
    await this.#attend('a push', () => this.#followPushes(pushes.map(({ event }) => event)), pushes)
    for (const each of of('pull-changed'))
      await this.#attend('a config check', () => this.#configChecks.reconcile([each.event.pull]), [each])
  }

  async #followIssue(issue: number, evidence: readonly Evidence[]): Promise<void> {
    const driver = await this.#campaigns.ofIssue(issue)
    if (driver !== undefined) await this.#issues.reconcile(driver, evidence)
  }

  /** Makes the next reconcile a full one. */
  #lookAgain(): void {
    this.#fullyReconciledAt = Number.NEGATIVE_INFINITY
  }

  // Saves a request for the run's jobs.
  #noteEvaluation({ run, name, label }: Evidence<'job-completed'>['event']): void {
    if (isEvaluation(name))
      this.#ports.evaluations.set(String(run), { binding: findBindingInJobName(name), label })
  }

  async #followRun(run: Evidence<'run-completed'>['event']['run']): Promise<void> {
    const found = findCandidate(run.title.split(' ')[2] ?? '')
    const driver = found && (await this.#campaigns.find(found.campaign))
    await driver?.completed(run)
  }

  // The config of the default branch applies at once. A fixed config closes the issue about it.
  async #followPushes(pushes: readonly Evidence<'pushed'>['event'][]): Promise<void> {
    const ours = pushes.filter(({ branch }) => branch === this.#ports.defaultBranch)
    const paths = ours.flatMap((push) => push.paths)
    if (paths.some((path) => path.startsWith(WORKFLOWS_FOLDER)))
      for (const driver of await this.#campaigns.all()) await followDivergence(this.#ports, driver)
    const isChanged = paths.includes(WORKFLOW_PATH)
    if (isChanged || paths.includes(CONFIG_FILE))
      await this.#followConfig(await this.#config.read(), await this.#campaigns.all(), isChanged)
  }

  async #followAll(): Promise<void> {
    const drivers = await this.#ownCampaigns(0)
    const reading = await this.#config.read()
    if (reading.status === 'missing' && drivers.length === 0) return
    const isSuspect = this.#isTroubled
    this.#isTroubled = false
    await this.#attend('the config', () => this.#followConfig(reading, drivers, isSuspect))
    for (const driver of drivers) await this.#attend(idOf(driver), () => this.#followCampaign(driver))
    await this.#attend('pull requests', () => this.#configChecks.reconcile())
    await this.#attend('comments', () => this.#comments.reconcile())
  }

  async #followConfig(
    reading: ConfigReading,
    drivers: readonly CampaignDriver[],
    isSuspect: boolean,
  ): Promise<void> {
    if (reading.status === 'read') this.#schedule.note(reading.config)
    const begin = async (): Promise<readonly string[]> =>
      reading.status === 'read' ? await this.#begin(reading.config, drivers) : []
    await this.#configWatch.follow(reading, drivers, { begin, isSuspect })
  }

  /** Starts the campaigns that labels and the schedule request. Returns the obstacles. */
  async #begin(config: ConfigFile, drivers: readonly CampaignDriver[]): Promise<readonly string[]> {
    const begun = drivers.map(({ snapshot }) => snapshot.state.campaign.control.direction?.issue ?? 0)
    const refused = await this.#issues.reconcileLabels(config, new Set(begun))
    return [...refused, ...(await this.#schedule.reconcile())]
  }

  async #followCampaign(driver: CampaignDriver): Promise<void> {
    await this.#commands.obeyFoundReleases(driver, await this.#pulls.reconcile(driver))
    await this.#issues.reconcile(driver)
    await followDivergence(this.#ports, driver)
    await this.#followRuns(driver)
    driver.show()
  }

  async #followOpenRuns(): Promise<void> {
    for (const driver of await this.#ownCampaigns(this.#ports.settings.reconcileMs))
      await this.#attend(idOf(driver), () => this.#followRuns(driver))
  }

  async #followRuns(driver: CampaignDriver): Promise<void> {
    if (isOpen(driver)) await driver.reconcile()
  }

  async #followSchedule(scope: Scope): Promise<void> {
    const { nextAt } = this.#schedule
    const isDue = nextAt !== undefined && nextAt <= this.#ports.clock.now()
    if (scope === 'runs' || isDue)
      await this.#attend('the schedule', async () => this.#config.tell(await this.#schedule.reconcile()))
  }

  /** The campaigns that this app drives. Those of a local host are only shown. */
  async #ownCampaigns(maxAgeMs: number): Promise<readonly CampaignDriver[]> {
    return (await this.#campaigns.all(maxAgeMs)).filter((driver) => !isForeign(driver))
  }

  async #settle(): Promise<void> {
    for (let step = 0; step < MOST_STEPS; step++) {
      const due = this.#campaigns.known.filter(({ dueAt = Number.POSITIVE_INFINITY }) => {
        return dueAt <= this.#ports.clock.now()
      })
      if (due.length === 0) return
      for (const driver of due) await this.#attend(idOf(driver), () => driver.settle())
    }
  }

  // A failure of one subject does not delay the others.
  async #attend(what: string, work: () => Promise<void>, told: readonly Told[] = []): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#isTroubled = true
      this.#faults.push(error)
      this.#failed.push(...told.map(({ event }) => event))
      // GitHub may not deliver it again, so find it by observation.
      if (told.some(({ event }) => isByPerson(event))) this.#lookAgain()
      this.#ports.log('error', `${what} could not be reconciled`, { error })
    }
  }

  /** What went wrong since the last reconcile began. */
  get faults(): readonly unknown[] {
    return this.#faults
  }

  /** The evidence that the last reconcile failed to handle. */
  get failed(): readonly RepositoryEvent[] {
    return this.#failed
  }

  /** What the repository waits for now. */
  get outlook(): Outlook {
    const { settings } = this.#ports
    const drivers = this.#campaigns.known
    const waits = [
      ...drivers.flatMap(({ dueAt }) =>
        dueAt === undefined ? [] : [{ what: 'commit', at: dueAt } as const],
      ),
      ...(this.#schedule.nextAt === undefined
        ? []
        : [{ what: 'schedule', at: this.#schedule.nextAt } as const]),
      ...(drivers.some(({ snapshot }) => snapshot.state.jobs.size > 0)
        ? [{ what: 'runs', at: this.#reconciledAt + settings.reconcileMs } as const]
        : []),
      {
        what: 'people',
        at: Math.max(
          this.#reconciledAt + settings.reconcileMs,
          this.#fullyReconciledAt + settings.fullReconcileMs,
        ),
      },
    ] as const
    return {
      waitsFor: [...new Set(waits.map(({ what }) => what))],
      nextAt: Math.max(Math.min(...waits.map(({ at }) => at)), this.#ports.clock.now()),
    }
  }
}

function isOpen({ snapshot }: CampaignDriver): boolean {
  const { campaign, jobs } = snapshot.state
  return campaign.status.phase !== 'finished' || jobs.size > 0 || campaign.control.unchecked.length > 0
}

function idOf({ snapshot }: CampaignDriver): string {
  return snapshot.state.campaign.id
}
