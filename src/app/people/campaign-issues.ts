import type { CampaignConfig, ConfigFile } from '../../config/campaign-config.ts'
import { LoreleyError } from '../../errors.ts'
import { findIssueStatus, type IssueEvent } from '../../github/issues/issue-history.ts'
import { adopt, canAdopt } from '../campaign/adoption.ts'
import type { CampaignDriver } from '../campaign/campaign-driver.ts'
import { campaignId, type StartPorts, startCampaign } from '../campaign/campaign-start.ts'
import type { Campaigns } from '../campaign/campaigns.ts'
import { obstaclesOf, type RepositoryConfig } from '../config/repository-config.ts'
import type { CommentsPort, LogPort, PermissionsPort } from '../ports.ts'
import { type Evidence, evidenceOf, type SeenIssue } from '../reconcile/evidence.ts'
import type { AgreedWords } from './agreed-words.ts'
import { type LabelRequest, Labels } from './labels.ts'
import { done, type Reply, refused } from './reply.ts'
import { mayWrite, senderOf } from './sender.ts'
import type { Steering } from './steering.ts'

type IssuePorts = StartPorts & CommentsPort & LogPort & PermissionsPort

/** The parts that handling an issue needs. */
export interface IssueParts {
  readonly campaigns: Campaigns
  readonly config: RepositoryConfig
  readonly steering: Steering
  readonly words: AgreedWords
}

/** The outcome of an attempt to start a campaign. */
interface Attempt {
  readonly reply: Reply
  /** The obstacles to every new campaign; empty if one has started. */
  readonly obstacles?: readonly string[]
  /** The error that interrupted the attempt. The obstacles are unknown then. */
  readonly fault?: LoreleyError
}

const EVER = '1970-01-01T00:00:00Z'

/** Campaigns and their issues: a label starts a campaign, and changes to the issue pause it. */
export class CampaignIssues {
  readonly #ports: IssuePorts
  readonly #parts: IssueParts
  readonly #labels: Labels

  constructor(ports: IssuePorts, parts: IssueParts) {
    this.#ports = ports
    this.#parts = parts
    this.#labels = new Labels(ports, parts.words)
  }

  /** Grants the labels that webhooks reported. Returns whether GitHub showed all of them. */
  async reconcileTold(evidence: readonly Evidence<'labelled'>[]): Promise<boolean> {
    const { requests, isUnsure } = await this.#labels.observeTold(evidence)
    if (requests.length > 0) await this.#grantTold(requests)
    return !isUnsure
  }

  async #grantTold(requests: readonly LabelRequest[]): Promise<void> {
    const { config } = this.#parts
    const reading = await config.read()
    for (const request of requests) {
      if (reading.status === 'read') {
        const { obstacles } = await this.#grant(request, reading.config)
        if (obstacles !== undefined) await config.answer(obstacles)
      } else if (request.label === 'loreley') await config.answer(obstaclesOf(reading))
    }
  }

  /**
   * Grants every label without a campaign: its webhook was lost, or there was an obstacle. The person who set it is told
   * once. Returns the obstacles.
   */
  async reconcileLabels(file: ConfigFile, begun: ReadonlySet<number>): Promise<readonly string[]> {
    const refusals: string[] = []
    for (const request of await this.#labels.observeAll(file, begun)) {
      const { obstacles = [], fault } = await this.#grant(request, file)
      if (fault !== undefined) throw fault
      refusals.push(...obstacles)
    }
    return refusals
  }

  async #grant({ issue, label, at }: LabelRequest, file: ConfigFile): Promise<Partial<Attempt>> {
    const config = findByLabel(file, label)
    if (config === undefined || (await this.#isGranted(issue.number, at))) return {}
    const attempt = await this.#try(issue, config, at)
    await this.#complain(issue, attempt.reply, at)
    return attempt
  }

  // A duplicate or late webhook repeats a granted request. It must not undo a later pause.
  async #isGranted(issue: number, at: string | undefined): Promise<boolean> {
    const driver = at === undefined ? undefined : await this.#parts.campaigns.ofIssue(issue)
    const { status, control } = driver?.snapshot.state.campaign ?? {}
    if (at === undefined || control?.resumedAt === undefined) return false
    const isHeld = status?.phase === 'paused' && status.reason === 'issue'
    const sinceMs = Date.parse(at) - Date.parse(control.resumedAt)
    // GitHub's times are whole seconds: a label may be set in the second of the last request. On a finished campaign it
    // counts again, because it changes nothing unless the budget has grown.
    return !isHeld && (status?.phase === 'finished' ? sinceMs < 0 : sinceMs <= 0)
  }

  async #complain(issue: SeenIssue, { status, text }: Reply, labelledAt = EVER): Promise<void> {
    if (status === 'refused') await this.#ports.comments.answerOnce(issue.number, `😕 ${text}`, labelledAt)
  }

  /** Starts or resumes the campaign of an issue, and returns the reply. */
  async start(issue: SeenIssue, config: CampaignConfig, at?: string): Promise<Reply> {
    const { reply, obstacles } = await this.#try(issue, config, at)
    if (obstacles !== undefined) await this.#parts.config.answer(obstacles)
    return reply
  }

  // Always reply: a label without a reaction would be confusing.
  async #try(issue: SeenIssue, config: CampaignConfig, at: string | undefined): Promise<Attempt> {
    try {
      return await this.#begin(issue, config, at)
    } catch (error) {
      if (!(error instanceof LoreleyError)) throw error
      this.#ports.log('error', 'a campaign could not be started', { issue: issue.number, error })
      return { reply: refused(`${error.message} ${error.hint}`), fault: error }
    }
  }

  async #begin(issue: SeenIssue, config: CampaignConfig, at: string | undefined): Promise<Attempt> {
    const { campaigns, steering } = this.#parts
    const id = campaignId(config.name, issue.number)
    const all = await campaigns.all()
    // A campaign of a local host belongs to this issue once it is adopted.
    const known = all.find(
      ({ snapshot: { state } }) =>
        state.campaign.id === id || state.campaign.control.direction?.issue === issue.number,
    )
    if (known !== undefined) return { reply: await steering.obey(known, { name: 'resume', at }, '') }
    const direction = { issue: issue.number, title: issue.title, body: issue.body }
    const foreign = all.find((driver) => canAdopt(driver, config))
    if (foreign !== undefined) return { reply: await adopt(this.#ports, foreign, { config, direction }) }
    const outcome = await startCampaign(this.#ports, { id, config, direction })
    if (outcome.status === 'blocked')
      return { reply: refused(outcome.reasons.join(' ')), obstacles: outcome.reasons }
    if (outcome.status === 'overtaken') return { reply: done(`${id} has already started.`) }
    const driver = campaigns.open(outcome.snapshot)
    await driver.take({ type: 'resumed', limits: config.limits, askedAt: at })
    await this.#warn(issue.number, outcome.warnings)
    return { reply: done(`${id} has started.`), obstacles: [] }
  }

  async #warn(issue: number, warnings: readonly string[]): Promise<void> {
    if (warnings.length === 0) return
    const lines = warnings.map((warning) => `- ${warning}`).join('\n')
    await this.#ports.comments.answer(
      issue,
      `⚠️ It has started, but GitHub may refuse some things:\n\n${lines}`,
    )
  }

  /**
   * Pauses a campaign whose issue was closed, locked, moved or unlabelled, and resumes it once someone with write permission
   * undoes that. Also applies their edits.
   */
  async reconcile(driver: CampaignDriver, evidence: readonly Evidence[] = []): Promise<void> {
    const { direction } = driver.snapshot.state.campaign.control
    if (direction === undefined) return
    const edits = evidenceOf(evidence, 'issue-edited').filter(isAbout(direction.issue))
    if (edits.length > 0) await this.#takeEdits(driver, edits)
    const changes = evidenceOf(evidence, 'issue-changed').filter(isAbout(direction.issue))
    // An edit changes nothing else.
    if (changes.length > 0 || edits.length === 0) await this.#follow(driver, changes)
  }

  async #takeEdits(driver: CampaignDriver, edits: readonly Evidence<'issue-edited'>[] = []): Promise<void> {
    const { direction } = driver.snapshot.state.campaign.control
    const words = direction && (await this.#parts.words.findNew(direction, edits))
    if (words !== undefined) await driver.take({ type: 'direction', ...words })
  }

  async #follow(driver: CampaignDriver, changes: readonly Evidence<'issue-changed'>[]): Promise<void> {
    const { config, state } = driver.snapshot
    const { control, status } = state.campaign
    const { direction, resumedAt } = control
    const isHeld = status.phase === 'paused' && status.reason === 'issue'
    if (direction === undefined || status.phase === 'finished' || (status.phase === 'paused' && !isHeld))
      return
    // Only changes after the last resume count.
    const told = changes.map((each) => this.#asHistory(each))
    const question = { issue: direction.issue, label: config.label, since: resumedAt, told }
    const issue = await findIssueStatus(this.#ports.api, question)
    if (issue.status === 'ended') {
      if (!isHeld) await hold(driver, issue.detail)
      return
    }
    if (!isHeld) return await this.#takeEdits(driver)
    const { actor: login, at } = issue.back ?? {}
    if (login !== undefined && (await mayWrite(this.#ports, senderOf(login))))
      await this.#parts.steering.obey(driver, { name: 'resume', at }, login)
  }

  #asHistory({ event, sender }: Evidence<'issue-changed'>): IssueEvent {
    const { how, label, at = new Date(this.#ports.clock.now()).toISOString() } = event
    return { event: how, label, at, actor: sender.login, title: undefined }
  }
}

function isAbout(issue: number): (evidence: { readonly event: { readonly issue: SeenIssue } }) => boolean {
  return ({ event }) => event.issue.number === issue
}

async function hold(driver: CampaignDriver, detail: string): Promise<void> {
  await driver.take({ type: 'hold', reason: 'issue', detail })
}

function findByLabel({ campaigns }: ConfigFile, label: string): CampaignConfig | undefined {
  return [...campaigns.values()].find((config) => config.label === label)
}
