import { NO_USAGE, type Usage } from '../../core/budget/budget.ts'
import type { CampaignEvent } from '../../core/campaign/events.ts'
import type { Job } from '../../core/campaign/job.ts'
import { Recent } from '../../github/api/recent.ts'
import { cancelRun, findRun, listJobs, listRuns, type RunFacts } from '../../github/runs/runs.ts'
import { renderRunName } from '../../protocol/dispatch.ts'
import type { Snapshot } from '../../store/state-store.ts'
import type { ApiPort, ClockPort, SettingsPort } from '../ports.ts'
import { inputsOf, type JobRuns } from './job-runs.ts'
import { costOfRun } from './run-cost.ts'
import { runnerBranch, WORKFLOW_FILE } from './workflow.ts'

type RunWatchPorts = ApiPort & ClockPort & SettingsPort

const WAITING_MS = 120_000
const STALE_MS = 30 * 60_000

/** News about a job from GitHub. */
export type Followed =
  | { readonly status: 'ended'; readonly run: RunFacts }
  | { readonly status: 'event'; readonly event: CampaignEvent }

/** Compares open jobs with their runs on GitHub, and ends stale, cancelled and missing ones. */
export class RunWatch {
  readonly #ports: RunWatchPorts
  readonly #runs: JobRuns
  readonly #isTrusted: (run: RunFacts) => boolean
  /** By job and attempt: when this process first saw it without a run. */
  readonly #missingSince = new Recent<number>(1000)

  constructor(ports: RunWatchPorts, runs: JobRuns, isTrusted: (run: RunFacts) => boolean) {
    this.#ports = ports
    this.#runs = runs
    this.#isTrusted = isTrusted
  }

  /** Whether a run belongs to a job. */
  isOurs(job: Job, run: number): boolean {
    return this.#runs.runOf(job) === run
  }

  async follow(snapshot: Snapshot, jobs: readonly Job[]): Promise<readonly Followed[]> {
    if (jobs.length === 0) return []
    const { api } = this.#ports
    const listed = await listRuns(api, WORKFLOW_FILE, runnerBranch(snapshot.state.campaign.id))
    const found: Followed[] = []
    for (const job of jobs) {
      const runs = listed.filter((run) => this.isOurs(job, run.id) || this.#isTrusted(run))
      found.push(...(await this.#followJob(snapshot, job, runs)))
    }
    return found
  }

  async #followJob(snapshot: Snapshot, job: Job, runs: readonly RunFacts[]): Promise<readonly Followed[]> {
    const name = renderRunName(inputsOf(snapshot, job))
    const known = this.#runs.runOf(job)
    // Every process picks the oldest run with the name. A run beyond the list is requested by id.
    const named = runs.filter(({ title }) => title === name)
    const run = named.at(-1) ?? (known === undefined ? undefined : await findRun(this.#ports.api, known))
    // If the answer to a dispatch was lost and GitHub showed the run late, it was dispatched twice. Each costs money.
    for (const { id, status } of named.slice(0, -1))
      if (status !== 'completed') await cancelRun(this.#ports.api, id)
    if (run !== undefined) return await this.#followRun(snapshot, job, run)
    if (known !== undefined) return [lost(job, `run ${known} is gone`)]
    this.#followMissing(snapshot, job)
    return []
  }

  async #followRun(snapshot: Snapshot, job: Job, run: RunFacts): Promise<readonly Followed[]> {
    this.#runs.found(job, run.id)
    if (run.status === 'completed') return [{ status: 'ended', run }]
    const isWaiting = run.status === 'waiting'
    const ageMs = this.#ports.clock.now() - Date.parse(run.createdAt)
    if (isWaiting && ageMs > WAITING_MS && canBeHeld(snapshot))
      return await this.#withdraw(snapshot, job, run)
    if (ageMs > STALE_MS + 3 * snapshot.state.campaign.reserved.runnerMs) {
      const usage = await this.#costOf(snapshot, job, run)
      await cancelRun(this.#ports.api, run.id)
      return [lost(job, `run ${run.id} ${isWaiting ? 'waited for an approval' : 'did not end'}`, usage)]
    }
    const { ordinal, attempt } = job
    return job.run === run.id
      ? []
      : [{ status: 'event', event: { type: 'dispatched', ordinal, attempt, run: run.id } }]
  }

  // The approval may never come. Nothing was measured, so the job is not at fault: it runs again when the campaign
  // resumes, and this run is cancelled once that is committed.
  async #withdraw(snapshot: Snapshot, job: Job, run: RunFacts): Promise<readonly Followed[]> {
    const { ordinal, attempt } = job
    const usage = await this.#costOf(snapshot, job, run)
    this.#runs.forget(ordinal)
    const events: CampaignEvent[] = [
      { type: 'dispatched', ordinal, attempt, run: run.id },
      { type: 'hold', reason: 'preflight', detail: explainWaiting(run.id) },
      { type: 'withdrawn', ordinal, attempt, usage },
    ]
    return events.map((event) => ({ status: 'event', event }))
  }

  async #costOf(snapshot: Snapshot, job: Job, { id }: RunFacts): Promise<Usage> {
    const { api, clock } = this.#ports
    const jobs = await listJobs(api, id)
    return await costOfRun(api, { id, snapshot, job, jobs, nowMs: clock.now() })
  }

  // Another process may be about to start it, or the answer to its dispatch was lost.
  #followMissing({ state }: Snapshot, job: Job): void {
    const { clock, settings } = this.#ports
    const sentAt = this.#runs.findUnconfirmed(job.ordinal)
    const { lastTickAt } = state.campaign
    if (this.#runs.isKnown(job.ordinal) && sentAt === undefined) return
    const key = `${job.ordinal} ${job.attempt}`
    const seenAt = this.#missingSince.get(key) ?? clock.now()
    this.#missingSince.set(key, seenAt)
    // Frequent steps keep moving the last tick, so on its own it would let a job starve.
    const since = sentAt ?? Math.min(seenAt, lastTickAt === undefined ? 0 : Date.parse(lastTickAt))
    if (clock.now() - since < settings.searchMs) return
    this.#runs.forget(job.ordinal)
    this.#runs.enqueue(job, false)
  }
}

function explainWaiting(run: number): string {
  return `run ${run} waited for an approval and was cancelled: the environment loreley must have no reviewers and no wait timer, and its branch rule must allow loreley/runner/*`
}

// During another pause, jobs that people asked for still start. Withdrawing them would repeat forever.
function canBeHeld({ state }: Snapshot): boolean {
  const { status } = state.campaign
  return status.phase === 'paused' ? status.reason === 'preflight' : status.phase !== 'finished'
}

function lost({ ordinal, attempt }: Job, detail: string, usage: Usage = NO_USAGE): Followed {
  const result = { status: 'failed', reason: 'infrastructure', detail, usage } as const
  return { status: 'event', event: { type: 'finished', ordinal, attempt, result } }
}
