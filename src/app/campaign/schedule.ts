import type { CampaignConfig, ConfigFile, ScheduleConfig } from '../../config/campaign-config.ts'
import { findSlots } from '../../config/schedule-slots.ts'
import type { CampaignState } from '../../core/campaign/campaign.ts'
import type { PauseReason } from '../../core/campaign/status.ts'
import { findByTitle, findIssue, openIssue } from '../../github/issues/issues.ts'
import { renderScheduleIssue } from '../../reports/issues/schedule-issue.ts'
import type { ActorPort, LogPort } from '../ports.ts'
import type { CampaignDriver } from './campaign-driver.ts'
import { type StartPorts, startCampaign } from './campaign-start.ts'
import type { Campaigns } from './campaigns.ts'

export type SchedulePorts = StartPorts & LogPort & ActorPort

type Scheduled = CampaignConfig & { readonly schedule: ScheduleConfig }

// A sleeping server or a delayed workflow may miss a slot. Older slots are skipped.
const LATE_MS = 2 * 3_600_000
/** How long to wait before retrying a slot whose start failed. */
const RETRY_MS = 5 * 60_000

const WAITS_FOR_PEOPLE: readonly PauseReason[] = ['command', 'issue', 'checkpoint']

/** What is due for a slot: `start` a campaign, `resume` the open one, or `show` it on an issue. */
export interface SlotAction {
  readonly type: 'start' | 'resume' | 'show'
  /** The campaign. */
  readonly id: string
}

/** What a decision about a slot needs to know of a campaign. */
type SlotCampaign = Pick<CampaignState['campaign'], 'id' | 'status'> & {
  readonly control: Pick<CampaignState['campaign']['control'], 'direction' | 'resumedAt'>
}

interface SlotParts {
  readonly config: CampaignConfig
  readonly campaigns: readonly CampaignDriver[]
}

/**
 * Starts scheduled campaigns. A campaign's name contains its slot, and the state branch accepts a name once. So a slot
 * starts one campaign, no matter how many processes run or restart.
 */
export class Schedule {
  readonly #ports: SchedulePorts
  readonly #campaigns: Campaigns
  #scheduled: readonly Scheduled[] = []
  #nextAt: number | undefined
  /** By campaign name: why the last slot started nothing. */
  readonly #refused = new Map<string, readonly string[]>()

  constructor(ports: SchedulePorts, campaigns: Campaigns) {
    this.#ports = ports
    this.#campaigns = campaigns
  }

  /** Notes the current config. */
  note({ campaigns }: ConfigFile): void {
    this.#scheduled = [...campaigns.values()].flatMap((config) =>
      config.schedule === undefined ? [] : [{ ...config, schedule: config.schedule }],
    )
  }

  /** The next slot, as of the last reconcile. */
  get nextAt(): number | undefined {
    return this.#nextAt
  }

  /** Starts what is due and returns the obstacles. A failed start does not block the others. */
  async reconcile(): Promise<readonly string[]> {
    const now = this.#ports.clock.now()
    const due = this.#scheduled.map((config) => ({ config, slots: findSlots(config.schedule, now, LATE_MS) }))
    const next = due.flatMap(({ slots }) => slots.next ?? [])
    // Set before anything can fail: a slot in the past would request a reconcile at once, forever.
    this.#nextAt = next.length === 0 ? undefined : Math.min(...next)
    const faults: unknown[] = []
    for (const { config, slots } of due)
      try {
        if (slots.last !== undefined) await this.#follow(config, slots.last)
      } catch (error) {
        faults.push(error)
      }
    if (faults.length > 0) {
      this.#nextAt = Math.min(this.#ports.clock.now() + RETRY_MS, ...next)
      throw faults[0]
    }
    return this.#scheduled.flatMap(({ name }) => this.#refused.get(name) ?? [])
  }

  async #follow(config: CampaignConfig, slot: number): Promise<void> {
    const campaigns = await this.#observe(config.name)
    const states = campaigns.map(({ snapshot }) => snapshot.state.campaign)
    for (const action of decideSlot(config.name, slot, states))
      await this.#apply(action, { config, campaigns })
  }

  /** The campaigns that earlier slots have started. */
  async #observe(name: string): Promise<readonly CampaignDriver[]> {
    const all = await this.#campaigns.all()
    return all.filter(({ snapshot }) => isOfSchedule(snapshot.state.campaign.id, name))
  }

  async #apply(action: SlotAction, { config, campaigns }: SlotParts): Promise<void> {
    if (action.type === 'start') return await this.#start(config, action.id, campaigns)
    const driver = campaigns.find(({ snapshot }) => snapshot.state.campaign.id === action.id)
    if (driver === undefined) return
    if (action.type === 'show') return await this.#showOnIssue(driver, campaigns)
    this.#ports.store.retryRefused()
    await driver.take({ type: 'resumed', limits: driver.snapshot.config.limits })
  }

  async #start(config: CampaignConfig, id: string, earlier: readonly CampaignDriver[]): Promise<void> {
    const outcome = await startCampaign(this.#ports, { id, config })
    this.#refused.set(config.name, outcome.status === 'blocked' ? outcome.reasons : [])
    if (outcome.status !== 'started') return
    const driver = this.#campaigns.open(outcome.snapshot)
    await driver.take({ type: 'resumed', limits: config.limits })
    await this.#showOnIssue(driver, earlier)
  }

  // After the start, which only one process wins. The others would open needless issues.
  async #showOnIssue(driver: CampaignDriver, ofSchedule: readonly CampaignDriver[]): Promise<void> {
    const known = ofSchedule.flatMap((each) => issueOf(each) ?? []).at(-1)
    const issue = await findScheduleIssue(this.#ports, driver.snapshot.config.name, known)
    if (issue === undefined) return
    await driver.take({ type: 'direction', issue: issue.number, title: issue.title, body: '' })
    driver.show()
  }
}

/** What is due for a slot that has come, given the campaigns of earlier slots. */
export function decideSlot(
  name: string,
  slot: number,
  campaigns: readonly SlotCampaign[],
): readonly SlotAction[] {
  const id = slotId(name, slot)
  const isTaken = campaigns.some((campaign) => campaign.id >= id)
  const open = campaigns.find(({ status }) => status.phase !== 'finished')
  if (open === undefined) return isTaken ? [] : [{ type: 'start', id }]
  const actions: SlotAction[] = []
  if (open.control.direction === undefined) actions.push({ type: 'show', id: open.id })
  if (!isTaken && canResume(open, slot)) actions.push({ type: 'resume', id: open.id })
  return actions
}

// A pause by people or a checkpoint waits for people. After a temporary fault it resumes, once per slot.
function canResume({ status, control }: SlotCampaign, slot: number): boolean {
  if (status.phase !== 'paused' || WAITS_FOR_PEOPLE.includes(status.reason)) return false
  return Date.parse(control.resumedAt ?? '1970-01-01') < slot
}

function issueOf({ snapshot }: CampaignDriver): number | undefined {
  return snapshot.state.campaign.control.direction?.issue
}

/** The name of the campaign that a slot starts, such as `nightly-202611170300`. Names sort by time. */
function slotId(name: string, slot: number): string {
  const digits = new Date(slot).toISOString().replaceAll(/\D/g, '').slice(0, 12)
  return `${name.slice(0, 40 - 1 - digits.length)}-${digits}`
}

function isOfSchedule(id: string, name: string): boolean {
  const start = slotId(name, 0).slice(0, -12)
  return id.startsWith(start) && /^\d{12}$/.test(id.slice(start.length))
}

interface ScheduleIssue {
  readonly number: number
  readonly title: string
}

/**
 * The one issue where people see and steer scheduled campaigns: the `known` one of an earlier campaign while it exists,
 * else one with its title, else a new one. Undefined if GitHub refuses, for example because issues are disabled.
 */
async function findScheduleIssue(
  { api, actor, log }: SchedulePorts,
  campaign: string,
  known: number | undefined,
): Promise<ScheduleIssue | undefined> {
  const { title, body } = renderScheduleIssue(campaign)
  const stands = known === undefined ? undefined : await findIssue(api, known)
  const found = stands ?? (await findByTitle(api, { creator: actor, title }))
  // Somebody else may have changed the title. It is not used as a direction.
  if (found !== undefined) return { number: found.number, title }
  const opened = await openIssue(api, { title, body })
  if (opened.status === 'done') return { number: opened.value.number, title }
  log('warn', 'a scheduled campaign has no issue', { campaign, outcome: opened.status })
  return undefined
}
