import { addUsage, NO_USAGE, type Usage } from '../../core/budget/budget.ts'
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
  /** By ordinal and attempt: when this process first saw it without a run. */
  readonly #missingSince = new Recent<number>(1000)
  /** By ordinal and attempt: runs that were dispatched besides the one that counts. */
  readonly #duplicates = new Recent<ReadonlySet<number>>(1000)

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
    for (const { id, status } of named.slice(0, -1)) {
      this.noteDuplicate(job, id)
      if (status !== 'completed') await cancelRun(this.#ports.api, id)
    }
    if (run !== undefined) return await this.#followRun(snapshot, job, run)
    if (known !== undefined)
      return [lost(job, `run ${known} is gone`, await this.costOfDuplicates(snapshot, job))]
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
    this.#runs.forget(job)
    const events: CampaignEvent[] = [
      { type: 'dispatched', ordinal, attempt, run: run.id },
      { type: 'hold', reason: 'preflight', detail: explainWaiting(run.id) },
      { type: 'withdrawn', ordinal, attempt, usage },
    ]
    return events.map((event) => ({ status: 'event', event }))
  }

  /** Remembers a run whose cost the job bears, though another one counts. */
  noteDuplicate(job: Job, run: number): void {
    const known = this.#duplicates.get(keyOf(job)) ?? []
    this.#duplicates.set(keyOf(job), new Set([...known, run]))
  }

  /** The cost of runs that were dispatched besides the one that counts. */
  async costOfDuplicates(snapshot: Snapshot, job: Job, counted?: number): Promise<Usage> {
    let cost = NO_USAGE
    // Its list of jobs may be gone with a deleted run. That must not hold up the result.
    for (const id of this.#duplicates.get(keyOf(job)) ?? [])
      if (id !== counted)
        cost = addUsage(cost, await this.#costOfRun(snapshot, job, id).catch(() => NO_USAGE))
    return cost
  }

  async #costOf(snapshot: Snapshot, job: Job, { id }: RunFacts): Promise<Usage> {
    const own = await this.#costOfRun(snapshot, job, id)
    return addUsage(own, await this.costOfDuplicates(snapshot, job, id))
  }

  async #costOfRun(snapshot: Snapshot, job: Job, id: number): Promise<Usage> {
    const { api, clock } = this.#ports
    const jobs = await listJobs(api, id)
    return await costOfRun(api, { id, snapshot, job, jobs, nowMs: clock.now() })
  }

  #followMissing({ state }: Snapshot, job: Job): void {
    const { clock, settings } = this.#ports
    const sentAt = this.#runs.findUnconfirmed(job)
    if (sentAt === undefined && !this.#runs.isKnown(job)) {
      const seenAt = this.#missingSince.get(keyOf(job)) ?? clock.now()
      this.#missingSince.set(keyOf(job), seenAt)
      const tickedAt = Date.parse(state.campaign.lastTickAt ?? '1970-01-01')
      // Another process planned it. If that one lives, it starts it right after its step; its run is looked for by name.
      const isLeft = clock.now() - tickedAt >= settings.startMs || clock.now() - seenAt >= settings.searchMs
      if (isLeft) this.#runs.enqueue(job, true)
    }
    // The answer to our dispatch was lost. GitHub may show the run late.
    if (sentAt === undefined || clock.now() - sentAt < settings.searchMs) return
    this.#runs.forget(job)
    this.#runs.enqueue(job, false)
  }
}

function keyOf({ ordinal, attempt }: Job): string {
  return `${ordinal} ${attempt}`
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
