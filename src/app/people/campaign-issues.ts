import type { CampaignConfig, ConfigFile } from '../../config/campaign-config.ts'
import { LoreleyError } from '../../errors.ts'
import { adopt, canAdopt } from '../campaign/adoption.ts'
import { campaignId, type StartPorts, startCampaign } from '../campaign/campaign-start.ts'
import type { Campaigns } from '../campaign/campaigns.ts'
import { obstaclesOf, type RepositoryConfig } from '../config/repository-config.ts'
import type { CommentsPort, LogPort, PermissionsPort } from '../ports.ts'
import type { Evidence, SeenIssue } from '../reconcile/evidence.ts'
import type { AgreedWords } from './agreed-words.ts'
import { type LabelRequest, Labels } from './labels.ts'
import { done, type Reply, refused } from './reply.ts'
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

/** Starts campaigns for issues: a label or a command asks for one. */
export class CampaignIssues {
  readonly #ports: IssuePorts
  readonly #parts: IssueParts
  readonly #labels: Labels

  constructor(ports: IssuePorts, parts: IssueParts) {
    this.#ports = ports
    this.#parts = parts
    this.#labels = new Labels(ports, parts.words)
  }

  /** Grants the labels that webhooks reported. Unsure: GitHub did not show all of them. */
  async reconcileTold(evidence: readonly Evidence<'labelled'>[]): Promise<{ readonly isUnsure: boolean }> {
    const { requests, isUnsure } = await this.#labels.observeTold(evidence)
    const { config } = this.#parts
    for (const request of requests) {
      const reading = await config.read()
      if (reading.status === 'read') {
        const { obstacles } = await this.#grant(request, reading.config)
        if (obstacles !== undefined) await config.answer(obstacles)
      } else if (request.label === 'loreley') await config.answer(obstaclesOf(reading))
    }
    return { isUnsure }
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
    const attempt = await this.#begin(issue, config, at)
    const { status, text } = attempt.reply
    if (status === 'refused') await this.#ports.comments.answerOnce(issue.number, `😕 ${text}`, at ?? EVER)
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

  /** Starts or resumes the campaign of an issue, and returns the reply. */
  async start(issue: SeenIssue, config: CampaignConfig, at?: string): Promise<Reply> {
    const { reply, obstacles } = await this.#begin(issue, config, at)
    if (obstacles !== undefined) await this.#parts.config.answer(obstacles)
    return reply
  }

  // Always reply: a label without a reaction would be confusing.
  async #begin(issue: SeenIssue, config: CampaignConfig, at: string | undefined): Promise<Attempt> {
    const { campaigns, steering } = this.#parts
    const id = campaignId(config.name, issue.number)
    const direction = { issue: issue.number, title: issue.title, body: issue.body }
    try {
      const all = await campaigns.all()
      // A campaign of a local host belongs to this issue once it is adopted.
      const known = all.find(
        ({ snapshot: { state } }) =>
          state.campaign.id === id || state.campaign.control.direction?.issue === issue.number,
      )
      if (known !== undefined) return { reply: await steering.obey(known, { name: 'resume', at }, '') }
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
    } catch (error) {
      if (!(error instanceof LoreleyError)) throw error
      this.#ports.log('error', 'a campaign could not be started', { issue: issue.number, error })
      return { reply: refused(`${error.message} ${error.hint}`), fault: error }
    }
  }

  async #warn(issue: number, warnings: readonly string[]): Promise<void> {
    if (warnings.length === 0) return
    const lines = warnings.map((warning) => `- ${warning}`).join('\n')
    await this.#ports.comments.answer(
      issue,
      `⚠️ It has started, but GitHub may refuse some things:\n\n${lines}`,
    )
  }
}

function findByLabel({ campaigns }: ConfigFile, label: string): CampaignConfig | undefined {
  return [...campaigns.values()].find((config) => config.label === label)
}
