import type { CampaignConfig, ConfigFile } from '../config/campaign-config.ts'
import type { EventOf, IssueFacts } from './app-event.ts'
import type { CampaignDriver } from './campaign-driver.ts'
import { campaignId, startCampaign } from './campaign-start.ts'
import type { Campaigns } from './campaigns.ts'
import { type ConfigDesk, obstaclesOf } from './config-desk.ts'
import type { Sender } from './envelope.ts'
import { findEnd } from './issue-history.ts'
import { done, type Reply, refused } from './reply.ts'
import { mayWrite, type RepositoryTools } from './repository-tools.ts'
import type { SteeringDesk } from './steering-desk.ts'

/** The desks that a campaign's issue needs. */
export interface IssueDesks {
  readonly campaigns: Campaigns
  readonly config: ConfigDesk
  readonly steering: SteeringDesk
}

/** Campaigns and their issues: a label starts one, what becomes of the issue holds it up. */
export class IssueDesk {
  readonly #tools: RepositoryTools
  readonly #desks: IssueDesks

  constructor(tools: RepositoryTools, desks: IssueDesks) {
    this.#tools = tools
    this.#desks = desks
  }

  // Anybody may see a label; only people who may write can spend by setting one.
  async labelled({ issue, label }: EventOf<'labelled'>, sender: Sender): Promise<void> {
    if (issue.isPull || !(await mayWrite(this.#tools, sender))) return
    const reading = await this.#desks.config.read()
    if (reading.status !== 'read') {
      if (label === 'loreley') await this.#desks.config.tell(obstaclesOf(reading))
      return
    }
    const config = findByLabel(reading.config, label)
    if (config === undefined) return
    const reply = await this.start(issue, config)
    if (reply.status === 'refused') await this.#tools.comments.answer(issue.number, `😕 ${reply.text}`)
  }

  /** Begins the campaign of an issue, or lets the one that it has go on. */
  async start(issue: IssueFacts, config: CampaignConfig): Promise<Reply> {
    const { campaigns, steering } = this.#desks
    const id = campaignId(config.name, issue.number)
    const known = (await campaigns.all()).find(({ snapshot }) => snapshot.state.campaign.id === id)
    if (known !== undefined) return await steering.obey(known, { name: 'resume' }, '')
    const direction = { issue: issue.number, title: issue.title, body: issue.body }
    const outcome = await startCampaign(this.#tools, { id, config, direction })
    if (outcome.status === 'blocked') {
      await this.#desks.config.tell(outcome.reasons)
      return refused(outcome.reasons.join(' '))
    }
    if (outcome.status === 'overtaken') return done(`${id} has begun already.`)
    await this.#desks.config.tell([])
    const driver = await campaigns.open(outcome.snapshot)
    await driver.take({ type: 'resumed', limits: config.limits })
    await this.#warn(issue.number, outcome.warnings)
    return done(`${id} has begun.`)
  }

  async #warn(issue: number, warnings: readonly string[]): Promise<void> {
    if (warnings.length === 0) return
    const lines = warnings.map((warning) => `- ${warning}`).join('\n')
    await this.#tools.comments.answer(issue, `⚠️ It has begun, but some things may be refused:\n\n${lines}`)
  }

  async unlabelled({ issue, label }: EventOf<'unlabelled'>): Promise<void> {
    const driver = await this.#desks.campaigns.ofIssue(issue.number)
    if (driver?.snapshot.config.label === label) await hold(driver, 'the label was taken off')
  }

  async gone({ issue, how }: EventOf<'issue-gone'>): Promise<void> {
    const driver = await this.#desks.campaigns.ofIssue(issue.number)
    if (driver !== undefined) await hold(driver, `the issue was ${how}`)
  }

  /** Words that somebody who may not write put there later are no direction. */
  async edited({ issue }: EventOf<'issue-edited'>, sender: Sender): Promise<void> {
    const driver = await this.#desks.campaigns.ofIssue(issue.number)
    if (driver === undefined || !(await mayWrite(this.#tools, sender))) return
    await driver.take({ type: 'direction', title: issue.title, body: issue.body })
  }

  /** Holds a campaign up whose issue was closed, locked, moved or unlabelled while nobody listened. */
  async follow(driver: CampaignDriver): Promise<void> {
    const { config, state } = driver.snapshot
    const { control, status } = state.campaign
    const { direction, resumedAt } = control
    if (direction === undefined || status.phase === 'paused' || status.phase === 'finished') return
    const since = resumedAt ?? ''
    const end = await findEnd(this.#tools.api, { issue: direction.issue, label: config.label, since })
    if (end !== undefined) await hold(driver, end)
  }
}

async function hold(driver: CampaignDriver, detail: string): Promise<void> {
  await driver.take({ type: 'hold', reason: 'issue', detail })
}

function findByLabel({ campaigns }: ConfigFile, label: string): CampaignConfig | undefined {
  return [...campaigns.values()].find((config) => config.label === label)
}
