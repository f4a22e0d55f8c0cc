import type { CampaignConfig, ConfigFile } from '../../config/campaign-config.ts'
import { LoreleyError } from '../../errors.ts'
import { findIssueStatus } from '../../github/issue-history.ts'
import { adopt, canAdopt } from '../campaign/adoption.ts'
import type { CampaignDriver } from '../campaign/campaign-driver.ts'
import { campaignId, type StartPorts, startCampaign } from '../campaign/campaign-start.ts'
import type { Campaigns } from '../campaign/campaigns.ts'
import { obstaclesOf, type RepositoryConfig } from '../config/repository-config.ts'
import type { CommentsPort, LogPort, PermissionsPort } from '../ports.ts'
import type { EventOf, IssueFacts } from '../reconcile/evidence.ts'
import { IssueWords } from './issue-words.ts'
import { done, type Reply, refused } from './reply.ts'
import { mayWrite, type Sender, senderOf } from './sender.ts'
import type { Steering } from './steering.ts'

type IssuePorts = StartPorts & CommentsPort & LogPort & PermissionsPort

/** What a campaign's issue is handled with. */
export interface IssueParts {
  readonly campaigns: Campaigns
  readonly config: RepositoryConfig
  readonly steering: Steering
}

/** What came of a try to begin. */
interface Attempt {
  readonly reply: Reply
  /** What stands in the way of every new campaign: nothing when one has begun. */
  readonly obstacles?: readonly string[]
  /** What broke the try off: nobody knows what stands in the way. */
  readonly fault?: LoreleyError
}

const EVER = '1970-01-01T00:00:00Z'

/** Campaigns and their issues: a label starts one, what becomes of the issue holds it up. */
export class CampaignIssues {
  readonly #ports: IssuePorts
  readonly #parts: IssueParts
  readonly #words: IssueWords

  constructor(ports: IssuePorts, parts: IssueParts) {
    this.#ports = ports
    this.#parts = parts
    this.#words = new IssueWords(ports)
  }

  // Anybody may see a label; only people who may write can spend by setting one.
  async labelled({ issue, label, at }: EventOf<'labelled'>, sender: Sender): Promise<void> {
    if (issue.isPull || !(await mayWrite(this.#ports, sender))) return
    const reading = await this.#parts.config.read()
    if (reading.status !== 'read') {
      if (label === 'loreley') await this.#parts.config.answer(obstaclesOf(reading))
      return
    }
    const config = findByLabel(reading.config, label)
    if (config === undefined) return
    await this.#complain(issue, await this.start(issue, config, at), at)
  }

  /**
   * Tries a label that has begun nothing, because no webhook told of it or because something was in the way. It may be
   * tried at every look: whoever set it is told once. Gives what stands in the way.
   */
  async retry({ issue, label, at }: EventOf<'labelled'>, file: ConfigFile): Promise<readonly string[]> {
    const config = findByLabel(file, label)
    if (config === undefined) return []
    const { reply, obstacles = [], fault } = await this.#try(issue, config, at)
    await this.#complain(issue, reply, at)
    if (fault !== undefined) throw fault
    return obstacles
  }

  async #complain(issue: IssueFacts, { status, text }: Reply, labelledAt = EVER): Promise<void> {
    if (status === 'refused') await this.#ports.comments.answerOnce(issue.number, `😕 ${text}`, labelledAt)
  }

  /** Begins the campaign of an issue, or lets the one that it has go on, for somebody who waits for the answer. */
  async start(issue: IssueFacts, config: CampaignConfig, at?: string): Promise<Reply> {
    const { reply, obstacles } = await this.#try(issue, config, at)
    if (obstacles !== undefined) await this.#parts.config.answer(obstacles)
    return reply
  }

  // Whoever asked is told what came of it, as with a command: a label that nothing follows is a riddle.
  async #try(issue: IssueFacts, config: CampaignConfig, at: string | undefined): Promise<Attempt> {
    try {
      return await this.#begin(issue, config, at)
    } catch (error) {
      if (!(error instanceof LoreleyError)) throw error
      this.#ports.log('error', 'a campaign could not be begun', { issue: issue.number, error })
      return { reply: refused(`${error.message} ${error.hint}`), fault: error }
    }
  }

  async #begin(issue: IssueFacts, config: CampaignConfig, at: string | undefined): Promise<Attempt> {
    const { campaigns, steering } = this.#parts
    const id = campaignId(config.name, issue.number)
    const all = await campaigns.all()
    // One that was begun on a machine is this issue's once it was taken over.
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
    if (outcome.status === 'overtaken') return { reply: done(`${id} has begun already.`) }
    const driver = await campaigns.open(outcome.snapshot)
    await driver.take({ type: 'resumed', limits: config.limits, askedAt: at })
    await this.#warn(issue.number, outcome.warnings)
    return { reply: done(`${id} has begun.`), obstacles: [] }
  }

  async #warn(issue: number, warnings: readonly string[]): Promise<void> {
    if (warnings.length === 0) return
    const lines = warnings.map((warning) => `- ${warning}`).join('\n')
    await this.#ports.comments.answer(issue, `⚠️ It has begun, but some things may be refused:\n\n${lines}`)
  }

  async unlabelled({ issue, label }: EventOf<'unlabelled'>): Promise<void> {
    const driver = await this.#parts.campaigns.ofIssue(issue.number)
    if (driver?.snapshot.config.label === label) await hold(driver, 'the label was taken off')
  }

  async gone({ issue, how }: EventOf<'issue-gone'>): Promise<void> {
    const driver = await this.#parts.campaigns.ofIssue(issue.number)
    if (driver !== undefined) await hold(driver, `the issue was ${how}`)
  }

  /** Words that somebody who may not write put there later are no direction. */
  async edited({ issue, changed }: EventOf<'issue-edited'>, sender: Sender): Promise<void> {
    const driver = await this.#parts.campaigns.ofIssue(issue.number)
    const direction = driver?.snapshot.state.campaign.control.direction
    if (direction === undefined || !(await mayWrite(this.#ports, sender))) return
    const { title } = changed.title ? issue : direction
    const { body } = changed.body ? issue : direction
    await driver?.take({ type: 'direction', title, body })
  }

  /** An issue was opened again or unlocked. */
  async back({ issue }: EventOf<'issue-back'>): Promise<void> {
    const driver = await this.#parts.campaigns.ofIssue(issue.number)
    if (driver !== undefined) await this.follow(driver)
  }

  /**
   * Holds a campaign up whose issue was closed, locked, moved or unlabelled while nobody listened, and lets one go on
   * that was held up for it, once a writer has taken that back. Takes a writer's edits in as well.
   */
  async follow(driver: CampaignDriver): Promise<void> {
    const { config, state } = driver.snapshot
    const { control, status } = state.campaign
    const { direction, resumedAt } = control
    const isHeld = status.phase === 'paused' && status.reason === 'issue'
    if (direction === undefined || status.phase === 'finished' || (status.phase === 'paused' && !isHeld))
      return
    // One is held up for what happened after it last went on.
    const question = { issue: direction.issue, label: config.label, since: resumedAt }
    const issue = await findIssueStatus(this.#ports.api, question)
    if (issue.status === 'ended' && !isHeld) await hold(driver, issue.detail)
    const words = isHeld || issue.status === 'ended' ? undefined : await this.#words.findNew(direction)
    if (words !== undefined) await driver.take({ type: 'direction', ...words })
    const { actor: login, at } = (issue.status === 'asking' && issue.back) || {}
    if (!isHeld || login === undefined) return
    if (await mayWrite(this.#ports, senderOf(login)))
      await this.#parts.steering.obey(driver, { name: 'resume', at }, login)
  }
}

async function hold(driver: CampaignDriver, detail: string): Promise<void> {
  await driver.take({ type: 'hold', reason: 'issue', detail })
}

function findByLabel({ campaigns }: ConfigFile, label: string): CampaignConfig | undefined {
  return [...campaigns.values()].find((config) => config.label === label)
}
