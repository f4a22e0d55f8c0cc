import { CONFIG_FILE } from '../../config/file/load.ts'
import { findBindingInJobName, findCandidate, isEvaluation } from '../../protocol/dispatch.ts'
import type { CampaignDriver } from '../campaign/campaign-driver.ts'
import { Campaigns, type CampaignsPorts } from '../campaign/campaigns.ts'
import { WORKFLOWS_FOLDER } from '../campaign/divergence.ts'
import { Schedule, type SchedulePorts } from '../campaign/schedule.ts'
import { WorkflowWatch } from '../campaign/workflow-watch.ts'
import { ConfigChecks } from '../config/config-checks.ts'
import { ConfigWatch, type ConfigWatchPorts } from '../config/config-watch.ts'
import { type ConfigReading, RepositoryConfig } from '../config/repository-config.ts'
import { AgreedWords } from '../people/agreed-words.ts'
import { CampaignIssues } from '../people/campaign-issues.ts'
import { type CommandPorts, Commands } from '../people/commands.ts'
import { CommentWatch } from '../people/comment-watch.ts'
import { IssueWatch } from '../people/issue-watch.ts'
import { Steering } from '../people/steering.ts'
import { type PullPorts, PullRequests } from '../pulls/pull-requests.ts'
import { findOwn, PullWatch } from '../pulls/pull-watch.ts'
import { WORKFLOW_PATH } from '../runs/workflow.ts'
import { type Evidence, evidenceOf, groupEvidence, type RepositoryEvent } from './evidence.ts'
import { follow } from './subject.ts'

/** Everything that reconciling a repository needs. Only the wiring uses this type. */
export type RepositoryPorts = CampaignsPorts & SchedulePorts & CommandPorts & ConfigWatchPorts & PullPorts

/** Work on one subject. If it fails, the others go on. */
export interface Task {
  readonly what: string
  /** The evidence that it is about. */
  readonly told?: readonly { readonly event: RepositoryEvent }[]
  work(): Promise<void>
}

/** The subjects of a repository, and the order in which they are followed. */
export class Subjects {
  readonly #ports: RepositoryPorts
  readonly campaigns: Campaigns
  readonly config: RepositoryConfig
  readonly schedule: Schedule
  readonly commands: Commands
  readonly #configWatch: ConfigWatch
  readonly #configChecks: ConfigChecks
  readonly #labels: CampaignIssues
  readonly #comments: CommentWatch
  readonly #issues: IssueWatch
  readonly #pulls: PullWatch
  readonly #workflow: WorkflowWatch
  /** GitHub did not show a label that a webhook told of. */
  isUnsure = false

  constructor(ports: RepositoryPorts) {
    this.#ports = ports
    const pulls = new PullRequests(ports)
    this.config = new RepositoryConfig(ports)
    this.campaigns = new Campaigns(ports, {
      pulls,
      config: this.config,
      onTicks: (campaign, ticked) => this.commands.boxes.obeyFound(campaign, ticked),
    })
    this.schedule = new Schedule(ports, this.campaigns)
    this.#configWatch = new ConfigWatch(ports, this.config)
    this.#configChecks = new ConfigChecks(ports)
    this.#workflow = new WorkflowWatch(ports)
    const steering = new Steering(ports, pulls, this.#configWatch)
    const words = new AgreedWords(ports)
    const parts = { campaigns: this.campaigns, config: this.config, steering, words }
    this.#labels = new CampaignIssues(ports, parts)
    this.commands = new Commands(ports, { ...parts, issues: this.#labels })
    this.#comments = new CommentWatch(ports, { ...parts, ...this.commands })
    this.#issues = new IssueWatch(ports, parts)
    this.#pulls = new PullWatch(ports, {
      pulls,
      release: (driver, pull) => this.commands.boxes.obeyFoundRelease(driver, pull),
    })
  }

  /** What evidence asks for. People come first, because they are waiting. */
  toldTasks(evidence: readonly Evidence[]): readonly Task[] {
    const of = <T extends Evidence['event']['type']>(type: T) => evidenceOf(evidence, type)
    const changes = [...of('issue-changed'), ...of('issue-edited')]
    const labels = groupEvidence(of('labelled'), ({ event }) => `${event.issue.number} ${event.label}`)
    return [
      { what: 'a job', work: async () => this.#noteEvaluations(of('job-completed')) },
      ...groupEvidence(changes, ({ event }) => event.issue.number).map((told) => {
        return {
          what: 'an issue',
          told,
          work: () => this.#followIssue(told[0]?.event.issue.number, evidence),
        }
      }),
      ...labels.map((told) => ({ what: 'a label', told, work: () => this.#followLabel(told) })),
      // In order of arrival: a comment may revoke an earlier checkbox.
      ...evidence.map((each) => ({ what: 'a command', told: [each], work: () => this.commands.obey(each) })),
      ...of('pull-closed').map((each) => {
        return { what: 'a pull request', told: [each], work: () => this.#followClosed(each) }
      }),
      ...of('run-completed').map((each) => {
        return { what: `run ${each.event.run.id}`, told: [each], work: () => this.#followRun(each) }
      }),
      { what: 'a push', told: of('pushed'), work: () => this.#followPushes(of('pushed')) },
      ...of('pull-changed').map((each) => {
        const work = () => this.#configChecks.reconcile([each.event.pull])
        return { what: 'a config check', told: [each], work }
      }),
    ]
  }

  /** Everything that GitHub shows. Labels and the schedule start campaigns once the config is known to be usable. */
  allTasks(reading: ConfigReading, drivers: readonly CampaignDriver[], isSuspect: boolean): readonly Task[] {
    return [
      { what: 'the config', work: () => this.#followConfig(reading, drivers, isSuspect) },
      ...drivers.map((driver) => ({ what: idOf(driver), work: () => this.#followCampaign(driver) })),
      { what: 'pull requests', work: () => this.#configChecks.reconcile() },
      { what: 'comments', work: () => this.#comments.reconcile() },
    ]
  }

  runTasks(drivers: readonly CampaignDriver[]): readonly Task[] {
    return drivers.map((driver) => ({ what: idOf(driver), work: () => this.#followRuns(driver) }))
  }

  scheduleTask(): Task {
    return {
      what: 'the schedule',
      work: async () => this.config.tell(await this.schedule.reconcile()),
    }
  }

  async #followCampaign(driver: CampaignDriver): Promise<void> {
    await follow(this.#pulls, driver)
    await follow(this.#issues, driver)
    await follow(this.#workflow, driver)
    await this.#followRuns(driver)
    driver.show()
  }

  async #followRuns(driver: CampaignDriver): Promise<void> {
    const { campaign, jobs } = driver.snapshot.state
    const isOpen =
      campaign.status.phase !== 'finished' || jobs.size > 0 || campaign.control.unchecked.length > 0
    const restMs = this.#ports.clock.now() - Date.parse(campaign.lastTickAt ?? '1970-01-01')
    // A run that nobody needs any more may end after its campaign, and its cost is still to be booked.
    if (isOpen || restMs < this.#ports.settings.fullReconcileMs) await driver.reconcile()
  }

  // Saves a request for the run's jobs.
  #noteEvaluations(told: readonly Evidence<'job-completed'>[]): void {
    for (const { event } of told)
      if (isEvaluation(event.name))
        this.#ports.evaluations.set(String(event.run), {
          binding: findBindingInJobName(event.name),
          label: event.label,
        })
  }

  async #followIssue(issue: number | undefined, evidence: readonly Evidence[]): Promise<void> {
    const driver = issue === undefined ? undefined : await this.campaigns.ofIssue(issue)
    if (driver !== undefined) await follow(this.#issues, driver, evidence)
  }

  async #followLabel(told: readonly Evidence<'labelled'>[]): Promise<void> {
    const { isUnsure } = await this.#labels.reconcileTold(told)
    this.isUnsure ||= isUnsure
  }

  async #followClosed({ event: { pull, merged } }: Evidence<'pull-closed'>): Promise<void> {
    const own = findOwn(pull)
    const driver = own && (await this.campaigns.find(own.campaign))
    if (own === undefined || driver === undefined) return
    await this.#pulls.apply(driver, { type: 'settle', ordinal: own.ordinal, number: pull.number, merged })
  }

  async #followRun({ event: { run } }: Evidence<'run-completed'>): Promise<void> {
    const found = findCandidate(run.title.split(' ')[2] ?? '')
    const driver = found && (await this.campaigns.find(found.campaign))
    await driver?.completed(run)
  }

  // The config of the default branch applies at once. A fixed config closes the issue about it.
  async #followPushes(pushes: readonly Evidence<'pushed'>[]): Promise<void> {
    const ours = pushes.filter(({ event }) => event.branch === this.#ports.defaultBranch)
    const paths = ours.flatMap(({ event }) => event.paths)
    if (paths.some((path) => path.startsWith(WORKFLOWS_FOLDER)))
      for (const driver of await this.campaigns.all()) await follow(this.#workflow, driver)
    const isChanged = paths.includes(WORKFLOW_PATH)
    if (isChanged || paths.includes(CONFIG_FILE))
      await this.#followConfig(await this.config.read(), await this.campaigns.all(), isChanged)
  }

  async #followConfig(
    reading: ConfigReading,
    drivers: readonly CampaignDriver[],
    isSuspect: boolean,
  ): Promise<void> {
    if (reading.status === 'read') this.schedule.note(reading.config)
    const begun = drivers.map(({ snapshot }) => snapshot.state.campaign.control.direction?.issue ?? 0)
    // Returns the obstacles to the campaigns that labels and the schedule ask for.
    const begin = async (): Promise<readonly string[]> => {
      if (reading.status !== 'read') return []
      const refused = await this.#labels.reconcileLabels(reading.config, new Set(begun))
      return [...refused, ...(await this.schedule.reconcile())]
    }
    await this.#configWatch.follow(reading, drivers, { begin, isSuspect })
  }
}

/** A campaign's name, for the log. */
export function idOf({ snapshot }: CampaignDriver): string {
  return snapshot.state.campaign.id
}
