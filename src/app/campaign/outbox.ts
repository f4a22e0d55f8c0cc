import type { CampaignEvent, Effect } from '../../core/campaign/events.ts'
import { pinRunner } from '../../github/runs/runner-branch.ts'
import { cancelRun } from '../../github/runs/runs.ts'
import type { Snapshot } from '../../store/state-store.ts'
import type { LogPort } from '../ports.ts'
import type { JobRuns } from '../runs/job-runs.ts'
import { findObstacles, type StartPorts } from './campaign-start.ts'

export type OutboxPorts = StartPorts & LogPort

/** What people see of a campaign. Every method is idempotent. */
export interface CampaignView {
  /** Returns the ones that were written. Fresh ones cannot exist yet. */
  writeChecks(
    snapshot: Snapshot,
    ordinals: readonly number[],
    fresh: ReadonlySet<number>,
  ): Promise<readonly number[]>
  openPull(snapshot: Snapshot, effect: Effect & { type: 'open-pull' }): Promise<CampaignEvent>
  closePull(snapshot: Snapshot, effect: Effect & { type: 'close-pull' }): Promise<void>
}

type PullEffect = Effect & { type: 'open-pull' | 'close-pull' }

/** The results of a flush, committed with the next step. */
export interface Flushed {
  readonly events: readonly CampaignEvent[]
  /** Whether people wait for that step. Everything else is found again if this process dies. */
  readonly isUrgent: boolean
}

interface FlushOptions {
  /** Candidates that this step finished. */
  readonly fresh: ReadonlySet<number>
  /** Whether waiting jobs may start. */
  readonly mayStart: boolean
}

const NOTHING: Flushed = { events: [], isUrgent: false }

/**
 * The effects of committed states, kept until `flush` performs them. If the process dies, the state still requests what
 * was not done, and the next tick repeats it.
 */
export class Outbox {
  readonly #ports: OutboxPorts
  readonly #runs: JobRuns
  readonly #view: CampaignView
  readonly #cancels = new Set<number>()
  readonly #checks = new Set<number>()
  /** By candidate, because several steps may request the same pull request before it is opened. */
  readonly #pulls = new Map<number, PullEffect>()

  constructor(ports: OutboxPorts, { runs, view }: { readonly runs: JobRuns; readonly view: CampaignView }) {
    this.#ports = ports
    this.#runs = runs
    this.#view = view
  }

  put(effect: Effect): void {
    switch (effect.type) {
      case 'cancel':
        this.#cancels.add(effect.run)
        break
      case 'check':
        this.#checks.add(effect.ordinal)
        break
      case 'open-pull':
      case 'close-pull':
        this.#pulls.set(effect.pull.candidate.ordinal, effect)
        break
      default:
      // The store moves elite refs together with the state, the driver writes reports, and jobs that wait for a run
      // are found in the state.
    }
  }

  /** Performs all pending effects, and starts runs if allowed. */
  async flush(snapshot: Snapshot, { fresh, mayStart }: FlushOptions): Promise<Flushed> {
    for (const run of takeAll(this.#cancels))
      await this.#try('cancel', async () => void (await cancelRun(this.#ports.api, run)))
    const started = mayStart ? await this.startRuns(snapshot) : NOTHING
    const pulls = await this.#settlePulls(snapshot)
    const checked = await this.#writeChecks(snapshot, fresh)
    return {
      events: [...started.events, ...pulls, ...checked],
      isUrgent: started.isUrgent || pulls.length > 0,
    }
  }

  /** Starts waiting jobs while there is room. */
  async startRuns(snapshot: Snapshot): Promise<Flushed> {
    const start = async (): Promise<readonly CampaignEvent[]> => {
      const events = await this.#runs.startWaiting(snapshot)
      return events.some(isHold) ? await this.#startAgain(snapshot, events) : events
    }
    const events = (await this.#try('dispatch', start)) ?? []
    return { events, isUrgent: events.some(isHold) }
  }

  // GitHub refused. Somebody may have deleted the branch that runs use: create it again and retry.
  async #startAgain(snapshot: Snapshot, events: readonly CampaignEvent[]): Promise<readonly CampaignEvent[]> {
    const pinned = await pinRunner(this.#ports, snapshot.state.campaign)
    const all =
      pinned.status === 'moved'
        ? [...events.filter((event) => !isHold(event)), ...(await this.#runs.startWaiting(snapshot))]
        : events
    const explained: CampaignEvent[] = []
    for (const event of all) {
      if (event.type !== 'hold') explained.push(event)
      else if (pinned.status === 'refused') explained.push({ ...event, detail: pinned.message })
      else explained.push({ ...event, detail: await this.#explain(snapshot, event.detail) })
    }
    return explained
  }

  // GitHub's refusal rarely names a remedy, but the preflight does.
  async #explain({ state, config }: Snapshot, refusal: string): Promise<string> {
    const obstacles = await findObstacles(this.#ports, state.campaign.id, config)
    return obstacles.length === 0 ? refusal : obstacles.join(' ')
  }

  async #settlePulls(snapshot: Snapshot): Promise<readonly CampaignEvent[]> {
    const events: CampaignEvent[] = []
    const effects = [...this.#pulls.values()]
    this.#pulls.clear()
    for (const effect of effects)
      await this.#try(effect.type, async () => {
        if (effect.type === 'open-pull') events.push(await this.#view.openPull(snapshot, effect))
        else await this.#view.closePull(snapshot, effect)
      })
    return events
  }

  async #writeChecks(snapshot: Snapshot, fresh: ReadonlySet<number>): Promise<readonly CampaignEvent[]> {
    const ordinals = takeAll(this.#checks)
    const written = await this.#try('check', () => this.#view.writeChecks(snapshot, ordinals, fresh))
    return (written ?? []).map((ordinal) => ({ type: 'checked', ordinal }))
  }

  // The state still requests what failed, so the next tick repeats it.
  async #try<T>(what: Effect['type'], work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      this.#ports.log('warn', `${what} failed`, { error })
      return undefined
    }
  }
}

function takeAll(set: Set<number>): readonly number[] {
  const all = [...set]
  set.clear()
  return all
}

function isHold({ type }: CampaignEvent): boolean {
  return type === 'hold'
}
