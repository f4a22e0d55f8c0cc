import type { CampaignEvent, Effect } from '../../core/campaign/events.ts'
import { pinRunner } from '../../github/runs/runner-branch.ts'
import { cancelRun } from '../../github/runs/runs.ts'
import type { Snapshot } from '../../store/state-store.ts'
import type { LogPort } from '../ports.ts'
import type { JobRuns } from '../runs/job-runs.ts'
import { findObstacles, type StartPorts } from './campaign-start.ts'

export type OutboxPorts = StartPorts & LogPort

/** What people see of a campaign; each may be asked for twice. */
export interface CampaignView {
  /** Tells which of them are written. Nobody can have written the fresh ones before. */
  writeChecks(
    snapshot: Snapshot,
    ordinals: readonly number[],
    fresh: ReadonlySet<number>,
  ): Promise<readonly number[]>
  openPull(snapshot: Snapshot, effect: Effect & { type: 'open-pull' }): Promise<CampaignEvent>
  closePull(snapshot: Snapshot, effect: Effect & { type: 'close-pull' }): Promise<void>
}

type PullEffect = Effect & { type: 'open-pull' | 'close-pull' }

/** What working off the outbox taught, to be committed with the next step. */
export interface Flushed {
  readonly events: readonly CampaignEvent[]
  /** Whether people wait for that step. All else is found again if this process dies. */
  readonly isUrgent: boolean
}

interface FlushOptions {
  /** Candidates that this very step has finished. */
  readonly fresh: ReadonlySet<number>
  /** Whether jobs that wait may start. */
  readonly mayStart: boolean
}

const NOTHING: Flushed = { events: [], isUrgent: false }

/**
 * What the committed state wants done in the world, kept until `flush` does it. The outbox may die with its process:
 * the state still owes what was not done, and the next tick asks for it again.
 */
export class Outbox {
  readonly #ports: OutboxPorts
  readonly #runs: JobRuns
  readonly #view: CampaignView
  readonly #cancels = new Set<number>()
  readonly #checks = new Set<number>()
  /** By candidate: several steps may ask for the same pull request before it is opened. */
  readonly #pulls = new Map<number, PullEffect>()

  constructor(ports: OutboxPorts, { runs, view }: { readonly runs: JobRuns; readonly view: CampaignView }) {
    this.#ports = ports
    this.#runs = runs
    this.#view = view
  }

  put(effect: Effect): void {
    switch (effect.type) {
      case 'dispatch':
        this.#runs.enqueue(effect.job, effect.again)
        break
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
      // The store moves elite refs together with the state, and the driver writes reports.
    }
  }

  /** Does all that is owed, and starts runs if it may. */
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

  /** Starts the jobs that wait while there is room. */
  async startRuns(snapshot: Snapshot): Promise<Flushed> {
    const events = (await this.#try('dispatch', () => this.#dispatch(snapshot))) ?? []
    return { events, isUrgent: events.some(isHold) }
  }

  // Somebody may have deleted the branch that runs are dispatched on: then it is made again, and that was all.
  async #dispatch(snapshot: Snapshot): Promise<readonly CampaignEvent[]> {
    const events = await this.#runs.pump(snapshot)
    if (!events.some(isHold)) return events
    const pinned = await pinRunner(this.#ports, snapshot.state.campaign)
    const all =
      pinned.status === 'moved'
        ? [...events.filter((event) => !isHold(event)), ...(await this.#runs.pump(snapshot))]
        : events
    const explained: CampaignEvent[] = []
    for (const event of all) {
      if (event.type !== 'hold') explained.push(event)
      else if (pinned.status === 'refused') explained.push({ ...event, detail: pinned.message })
      else explained.push({ ...event, detail: await this.#explain(snapshot, event.detail) })
    }
    return explained
  }

  // GitHub's refusal seldom says what to do about it; the preflight does.
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

  // What fails is still owed by the state: the next tick asks again.
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
