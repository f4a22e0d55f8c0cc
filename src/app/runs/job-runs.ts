import { createHash } from 'node:crypto'
import type { CampaignState } from '../../core/campaign/campaign.ts'
import { isAskedFor } from '../../core/campaign/effects.ts'
import type { CampaignEvent } from '../../core/campaign/events.ts'
import type { Job } from '../../core/campaign/job.ts'
import { candidateId } from '../../core/candidate/candidate-id.ts'
import {
  type DispatchOutcome,
  dispatchRun,
  findDispatched,
  type RunRequest,
} from '../../github/runs/dispatch.ts'
import type { RunFacts } from '../../github/runs/runs.ts'
import type { DispatchInputs } from '../../protocol/dispatch.ts'
import type { Snapshot } from '../../store/state-store.ts'
import type { ApiPort, ClockPort } from '../ports.ts'
import { runnerBranch, WORKFLOW_FILE } from './workflow.ts'

type RunPorts = ApiPort & ClockPort

/** The state, and the commit from which runs read it. */
type Dated = Pick<Snapshot, 'state' | 'revision'>

/**
 * Identifies a dispatch in the run's name. It is derived from the state, so it is known before the dispatch and after
 * a crash.
 */
function nonceOf({ campaign }: CampaignState, { ordinal, attempt }: Job): string {
  const text = `${campaign.id} ${campaign.root.commit} ${campaign.nonce ?? ''} ${ordinal} ${attempt}`
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

/** The inputs of a job's run. */
export function inputsOf({ state, revision }: Dated, job: Job): DispatchInputs {
  const { campaign } = state
  return {
    kind: job.kind,
    candidate: candidateId(campaign.id, job.ordinal),
    state: revision.head ?? '',
    root: campaign.root.commit,
    base: job.parent.commit,
    nonce: nonceOf(state, job),
    ...(job.kind === 'confirm' && job.rival && { rival: job.rival.commit }),
  }
}

/** A run of one attempt of a job. */
interface Running {
  readonly attempt: number
  readonly run?: number
  readonly sentAt: number
}

/** A job without a run. */
interface Waiting {
  readonly job: Job
  /** Another process may have started it, so look for its run before dispatching. */
  readonly again: boolean
}

/** Tracks which jobs of a campaign run and which wait, and starts them. */
export class JobRuns {
  readonly #ports: RunPorts
  readonly #isTrusted: (run: RunFacts) => boolean
  readonly #waiting = new Map<number, Waiting>()
  /** By ordinal: the run, or when an unanswered dispatch was sent. */
  readonly #running = new Map<number, Running>()

  /** By ordinal: the attempt whose run has ended, although the state does not show it yet. */
  readonly #ended = new Map<number, number>()

  constructor(ports: RunPorts, isTrusted: (run: RunFacts) => boolean) {
    this.#ports = ports
    this.#isTrusted = isTrusted
  }

  /** Adds a job. It starts when there is room. */
  enqueue(job: Job, again: boolean): void {
    this.#ended.delete(job.ordinal)
    if (this.#running.get(job.ordinal)?.attempt === job.attempt) return
    this.#running.delete(job.ordinal)
    this.#waiting.set(job.ordinal, { job, again })
  }

  /** Another process drives the same campaign: look for each waiting job's run by name before dispatching. */
  doubt(): void {
    for (const [ordinal, { job }] of this.#waiting) this.#waiting.set(ordinal, { job, again: true })
  }

  /** Whether this process has taken on a job's attempt. */
  isKnown({ ordinal, attempt }: Job): boolean {
    const attempts = [this.#waiting.get(ordinal)?.job, this.#running.get(ordinal)].map((it) => it?.attempt)
    return [...attempts, this.#ended.get(ordinal)].includes(attempt)
  }

  /** When an unconfirmed dispatch was sent. */
  findUnconfirmed({ ordinal, attempt }: Job): number | undefined {
    const running = this.#running.get(ordinal)
    return running?.attempt === attempt && running.run === undefined ? running.sentAt : undefined
  }

  /** Remembers a run that was found by its name or in the state. */
  found({ ordinal, attempt }: Job, run: number): void {
    this.#waiting.delete(ordinal)
    this.#running.set(ordinal, { attempt, run, sentAt: this.#ports.clock.now() })
  }

  /** The run of a job; undefined while unknown. */
  runOf({ ordinal, attempt, run }: Job): number | undefined {
    const running = this.#running.get(ordinal)
    return (running?.attempt === attempt ? running.run : undefined) ?? run
  }

  /** Forgets a job that is done or no longer needed. */
  forget({ ordinal, attempt }: Job): void {
    this.#waiting.delete(ordinal)
    this.#running.delete(ordinal)
    this.#ended.set(ordinal, attempt)
  }

  /** The number of active runs, including those that another process started. */
  #countRunning(jobs: CampaignState['jobs']): number {
    for (const ordinals of [this.#running, this.#ended]) {
      for (const ordinal of ordinals.keys()) if (!jobs.has(ordinal)) ordinals.delete(ordinal)
    }
    const elsewhere = [...jobs.values()].filter(
      ({ ordinal, run }) => run !== undefined && !this.#running.has(ordinal) && !this.#ended.has(ordinal),
    )
    return this.#running.size + elsewhere.length
  }

  // Jobs that people asked for ignore pauses and the parallel limit. A root that could not be measured is measured again
  // only on request.
  #mayStart({ campaign, config, jobs }: CampaignState, job: Job): boolean {
    const { status } = campaign
    // An obstacle to one run is an obstacle to all.
    if (status.phase === 'paused' && status.reason === 'preflight') return false
    if (isAskedFor(job)) return true
    if (job.kind === 'baseline') return status.phase !== 'paused' || status.reason !== 'baseline-invalid'
    return status.phase !== 'paused' && this.#countRunning(jobs) < config.limits.parallel
  }

  /** Starts waiting jobs while there is room. Returns the runs that it started, and what prevented others. */
  async startWaiting(snapshot: Dated): Promise<readonly CampaignEvent[]> {
    const { api } = this.#ports
    const events: CampaignEvent[] = []
    const byOrdinal = [...this.#waiting.values()].sort((a, b) => a.job.ordinal - b.job.ordinal)
    for (const { job, again } of byOrdinal) {
      const open = snapshot.state.jobs.get(job.ordinal)
      const isDue = open?.attempt === job.attempt && open.run === undefined
      if (!isDue) this.#waiting.delete(job.ordinal)
      if (!isDue || !this.#mayStart(snapshot.state, job)) continue
      const request: RunRequest = {
        workflow: WORKFLOW_FILE,
        branch: runnerBranch(snapshot.state.campaign.id),
        inputs: inputsOf(snapshot, job),
      }
      const found = again ? await findDispatched(api, request, this.#isTrusted) : undefined
      const outcome: DispatchOutcome =
        found === undefined ? await dispatchRun(api, request) : { status: 'dispatched', runId: found.id }
      if (outcome.status === 'refused') {
        const detail = explainRefusal(outcome.http, outcome.message)
        events.push({ type: 'hold', reason: 'preflight', detail })
        break
      }
      this.#waiting.delete(job.ordinal)
      const { ordinal, attempt } = job
      const run = outcome.status === 'dispatched' ? { run: outcome.runId } : undefined
      this.#running.set(ordinal, { attempt, sentAt: this.#ports.clock.now(), ...run })
      if (run !== undefined) events.push({ type: 'dispatched', ordinal, attempt, ...run })
    }
    return events
  }
}

function explainRefusal(http: number, message: string): string {
  return `GitHub refused to start a run (${http}: ${message.slice(0, 300)}). Is .github/workflows/${WORKFLOW_FILE} on the default branch, switched on, and the one from workflows-templates/?`
}
