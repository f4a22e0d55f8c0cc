import { NO_USAGE, type Usage } from '../../core/budget/budget.ts'
import type { CampaignState } from '../../core/campaign/campaign.ts'
import type { CampaignEvent } from '../../core/campaign/events.ts'
import type { Job } from '../../core/campaign/job.ts'
import {
  cancelRun,
  findRun,
  listJobs,
  listRuns,
  listRunsIfAny,
  type RunFacts,
} from '../../github/runs/runs.ts'
import { findCandidate, renderRunName } from '../../protocol/dispatch.ts'
import type { Snapshot } from '../../store/state-store.ts'
import type { ApiPort, ClockPort, SettingsPort } from '../ports.ts'
import { bindingOf, type JobRuns, type RunJob } from './job-runs.ts'
import { costOfRun } from './run-cost.ts'
import { runnerBranch, WORKFLOW_FILE } from './workflow.ts'

type RunWatchPorts = ApiPort & ClockPort & SettingsPort

const WAITING_MS = 120_000
const STALE_MS = 30 * 60_000

/** What is due for one run, or for a job without one. */
export type RunAction =
  /** It ended: read its result. */
  | { readonly type: 'read'; readonly run: RunFacts }
  /** The state does not know it yet. */
  | { readonly type: 'note'; readonly job: Job; readonly run: RunFacts }
  /** It waits for an approval that may never come. */
  | { readonly type: 'withdraw'; readonly job: Job; readonly run: RunFacts }
  /** It does not end. */
  | { readonly type: 'end'; readonly job: Job; readonly run: RunFacts }
  /** It was deleted. */
  | { readonly type: 'lose'; readonly job: Job; readonly run: number }
  /** A dispatch whose answer was lost came to nothing. */
  | { readonly type: 'give-up'; readonly job: Job }
  /** Another run counts for its job, or none. */
  | { readonly type: 'cancel'; readonly run: RunFacts }
  | { readonly type: 'book'; readonly job: RunJob; readonly run: RunFacts }

/** News about a job: a run to read, or an event. */
export type Followed =
  | { readonly status: 'ended'; readonly run: RunFacts }
  | { readonly status: 'event'; readonly event: CampaignEvent }

/** Compares jobs with their runs on GitHub, and ends stale, doubled and missing ones. */
export class RunWatch {
  readonly #ports: RunWatchPorts
  readonly #runs: JobRuns
  readonly #isTrusted: (run: RunFacts) => boolean
  /** By ordinal and attempt: since when this process sees it wait although there is room. */
  #waitingSince: ReadonlyMap<string, number> = new Map()

  constructor(ports: RunWatchPorts, runs: JobRuns, isTrusted: (run: RunFacts) => boolean) {
    this.#ports = ports
    this.#runs = runs
    this.#isTrusted = isTrusted
  }

  async follow(snapshot: Snapshot): Promise<readonly Followed[]> {
    const found: Followed[] = []
    for (const action of this.decide(snapshot.state, await this.observe(snapshot.state)))
      found.push(...(await this.apply(snapshot, action)))
    return found
  }

  /** Our runs of a campaign, newest first. A known run beyond the list is requested by id. */
  async observe({ campaign, jobs }: CampaignState): Promise<readonly RunFacts[]> {
    const { api } = this.#ports
    // Without the workflow, open jobs cannot be followed. That is a fault; with none open it does not matter.
    const list = jobs.size > 0 ? listRuns : listRunsIfAny
    const listed = await list(api, WORKFLOW_FILE, runnerBranch(campaign.id))
    const known = openJobs(jobs).flatMap((job) => this.#runs.runOf(job) ?? [])
    const ours = listed.filter((run) => known.includes(run.id) || this.#isTrusted(run))
    const beyond = known.filter((id) => !ours.some((run) => run.id === id))
    const found = await Promise.all(beyond.map((id) => findRun(api, id)))
    return [...ours, ...found.filter((run) => run !== undefined)]
  }

  /** What is due. Reads nothing but the state and what this process has sent. */
  decide(state: CampaignState, runs: readonly RunFacts[]): readonly RunAction[] {
    const jobs = openJobs(state.jobs).flatMap((job) => this.#decideJob(state, job, runs))
    return [...jobs, ...runs.flatMap((run) => this.#decideDuplicate(state, run, runs))]
  }

  #decideJob(state: CampaignState, job: Job, runs: readonly RunFacts[]): readonly RunAction[] {
    const { clock, settings } = this.#ports
    const run = this.#findCounted(state, job, runs)
    if (typeof run === 'number') return [{ type: 'lose', job, run }]
    if (run === undefined) {
      // GitHub may show it late.
      const sentAt = this.#runs.findUnconfirmed(job)
      const isOver = sentAt !== undefined && clock.now() - sentAt >= settings.searchMs
      return isOver ? [{ type: 'give-up', job }] : []
    }
    if (run.status === 'completed') return [{ type: 'read', run }]
    const ageMs = clock.now() - Date.parse(run.createdAt)
    if (run.status === 'waiting' && ageMs > WAITING_MS && canBeHeld(state))
      return [{ type: 'withdraw', job, run }]
    if (ageMs > STALE_MS + 3 * state.campaign.reserved.runnerMs) return [{ type: 'end', job, run }]
    return job.run === run.id ? [] : [{ type: 'note', job, run }]
  }

  /** The run that counts for an open job: the one in the state, else the oldest with its name. Its id if it is gone. */
  #findCounted(state: CampaignState, job: Job, runs: readonly RunFacts[]): RunFacts | number | undefined {
    const known = this.#runs.runOf(job)
    if (known !== undefined) return runs.find(({ id }) => id === known) ?? known
    const name = renderRunName(bindingOf(state, job))
    return runs.findLast(({ title }) => title === name)
  }

  // It was dispatched twice, or after its job was closed. Once it has ended, its cost is booked.
  #decideDuplicate(
    state: CampaignState,
    run: RunFacts,
    runs: readonly RunFacts[],
  ): readonly (RunAction & { type: 'cancel' | 'book' })[] {
    const job = findJob(state, run)
    if (job === undefined || state.campaign.control.duplicates?.includes(run.id)) return []
    const open = openJobs(state.jobs).find(({ ordinal }) => ordinal === job.ordinal)
    const counted = open === undefined ? job.run : this.#findCounted(state, open, runs)
    if ((typeof counted === 'object' ? counted.id : counted) === run.id) return []
    return run.status === 'completed' ? [{ type: 'book', job, run }] : [{ type: 'cancel', run }]
  }

  /** A run of which only a webhook told. Returns its cost if another one counts for its job. */
  async followDuplicate(snapshot: Snapshot, run: RunFacts): Promise<readonly CampaignEvent[]> {
    const found: Followed[] = []
    for (const action of this.#decideDuplicate(snapshot.state, run, [run]))
      found.push(...(await this.apply(snapshot, action)))
    return found.flatMap((each) => (each.status === 'event' ? [each.event] : []))
  }

  async apply(snapshot: Snapshot, action: RunAction): Promise<readonly Followed[]> {
    const { api } = this.#ports
    switch (action.type) {
      case 'read':
        return [{ status: 'ended', run: action.run }]
      case 'note':
        this.#runs.found(action.job, action.run.id)
        return newsOf({ type: 'dispatched', ...idsOf(action.job), run: action.run.id })
      case 'withdraw':
        return await this.#withdraw(snapshot, action.job, action.run)
      case 'end': {
        const { job, run } = action
        const usage = await this.#costOf(snapshot, job, run)
        await cancelRun(api, run.id)
        const why = run.status === 'waiting' ? 'waited for an approval' : 'did not end'
        return newsOf(lost(job, run.id, why, usage))
      }
      case 'lose':
        return newsOf(lost(action.job, action.run, 'is gone', NO_USAGE))
      case 'give-up':
        this.#runs.giveUp(action.job)
        return []
      case 'cancel':
        await cancelRun(api, action.run.id)
        return []
      case 'book': {
        const { job, run } = action
        return newsOf({ type: 'duplicate', run: run.id, usage: await this.#costOf(snapshot, job, run) })
      }
    }
  }

  // Nothing was measured, so the job is not at fault: it runs again when the campaign resumes, and this run is cancelled
  // once that is committed.
  async #withdraw(snapshot: Snapshot, job: Job, run: RunFacts): Promise<readonly Followed[]> {
    const usage = await this.#costOf(snapshot, job, run)
    this.#runs.forget(job)
    return newsOf(
      { type: 'dispatched', ...idsOf(job), run: run.id },
      { type: 'hold', reason: 'preflight', detail: explainWaiting(run.id) },
      { type: 'withdrawn', ...idsOf(job), usage },
    )
  }

  async #costOf(snapshot: Snapshot, job: RunJob, { id }: RunFacts): Promise<Usage> {
    const { api, clock } = this.#ports
    const jobs = await listJobs(api, id)
    return await costOfRun(api, { id, snapshot, job, jobs, nowMs: clock.now() })
  }

  /** Jobs that wait although there is room, because the process that claimed them is gone. */
  findLeft({ state }: Snapshot): readonly Job[] {
    const { clock, settings } = this.#ports
    const now = clock.now()
    const waiting = this.#runs.findDue(state).filter((job) => !this.#runs.isClaimed(job))
    this.#waitingSince = new Map(
      waiting.map((job) => [keyOf(job), this.#waitingSince.get(keyOf(job)) ?? now]),
    )
    // If nobody has taken a step for a while, nobody is there.
    const tickedAt = Date.parse(state.campaign.lastTickAt ?? '1970-01-01')
    const isLeft = (job: Job): boolean =>
      now - Math.min(tickedAt, this.#waitingSince.get(keyOf(job)) ?? now) >= settings.startMs
    return waiting.filter(isLeft)
  }
}

function keyOf({ ordinal, attempt }: Job): string {
  return `${ordinal} ${attempt}`
}

function explainWaiting(run: number): string {
  return `run ${run} waited for an approval and was cancelled: the environment loreley must have no reviewers and no wait timer, and its branch rule must allow loreley/runner/*`
}

// During another pause, jobs that people asked for still start. Withdrawing them would repeat forever.
function canBeHeld({ campaign: { status } }: CampaignState): boolean {
  return status.phase === 'paused' ? status.reason === 'preflight' : status.phase !== 'finished'
}

function openJobs(jobs: CampaignState['jobs']): readonly Job[] {
  return [...jobs.values()].filter(({ result }) => result === undefined)
}

/** The job that a run is named after, open or in the ledger. */
function findJob(state: CampaignState, { title }: RunFacts): RunJob | undefined {
  const { ordinal } = findCandidate(title.split(' ')[2] ?? '') ?? {}
  const entry = state.ledger.tail.findLast((each) => each.ordinal === ordinal)
  const closed = entry && { ...idsOf(entry), kind: entry.kind, run: entry.run }
  const job = [...state.jobs.values()].find((each) => each.ordinal === ordinal) ?? closed
  return job && renderRunName(bindingOf(state, job)) === title ? job : undefined
}

function idsOf({ ordinal, attempt }: Pick<Job, 'ordinal' | 'attempt'>) {
  return { ordinal, attempt }
}

function newsOf(...events: readonly CampaignEvent[]): readonly Followed[] {
  return events.map((event) => ({ status: 'event', event }))
}

function lost(job: Job, run: number, why: string, usage: Usage): CampaignEvent {
  const result = { status: 'failed', reason: 'infrastructure', detail: `run ${run} ${why}`, usage } as const
  return { type: 'finished', ...idsOf(job), run, result }
}
