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

/** The state, and the commit in which runs find it. */
type Dated = Pick<Snapshot, 'state' | 'revision'>

/**
 * What tells a dispatch apart, in the run's name. It follows from what the state says, so that it is known before
 * the dispatch and after a crash.
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

/** The request that starts a job's run. */
function requestOf(snapshot: Dated, job: Job): RunRequest {
  return {
    workflow: WORKFLOW_FILE,
    branch: runnerBranch(snapshot.state.campaign.id),
    inputs: inputsOf(snapshot, job),
  }
}

/** A run of a job's attempt: another attempt is another run. */
interface Running {
  readonly attempt: number
  readonly run?: number
  readonly sentAt: number
}

/** A job without a run. */
interface Waiting {
  readonly job: Job
  /** Another process may have started it: it is looked for before it is dispatched. */
  readonly again: boolean
}

/** Which of a campaign's jobs run, which wait, and how one becomes the other. */
export class JobRuns {
  readonly #ports: RunPorts
  readonly #isTrusted: (run: RunFacts) => boolean
  readonly #waiting = new Map<number, Waiting>()
  /** By ordinal: the run, or when a dispatch without an answer was sent. */
  readonly #running = new Map<number, Running>()

  /** By ordinal: the attempt whose run has ended, though the state does not say so yet. */
  readonly #ended = new Map<number, number>()

  constructor(ports: RunPorts, isTrusted: (run: RunFacts) => boolean) {
    this.#ports = ports
    this.#isTrusted = isTrusted
  }

  /** Takes a job on; it starts when there is room. */
  enqueue(job: Job, again: boolean): void {
    this.#ended.delete(job.ordinal)
    if (this.#running.get(job.ordinal)?.attempt === job.attempt) return
    this.#running.delete(job.ordinal)
    this.#waiting.set(job.ordinal, { job, again })
  }

  /** Another process is at the same campaign: what waits here is looked for by name before it is dispatched. */
  doubt(): void {
    for (const [ordinal, { job }] of this.#waiting) this.#waiting.set(ordinal, { job, again: true })
  }

  /** Whether this process has taken on a job's attempt. */
  isKnown({ ordinal, attempt }: Job): boolean {
    const attempts = [this.#waiting.get(ordinal)?.job, this.#running.get(ordinal)].map((it) => it?.attempt)
    return [...attempts, this.#ended.get(ordinal)].includes(attempt)
  }

  /** When a dispatch was sent that nobody confirmed yet. */
  findUnconfirmed({ ordinal, attempt }: Job): number | undefined {
    const running = this.#running.get(ordinal)
    return running?.attempt === attempt && running.run === undefined ? running.sentAt : undefined
  }

  /** Remembers a run that was found by its name or in the state. */
  found({ ordinal, attempt }: Job, run: number): void {
    this.#waiting.delete(ordinal)
    this.#running.set(ordinal, { attempt, run, sentAt: this.#ports.clock.now() })
  }

  /** The run of a job, as far as it is known. */
  runOf({ ordinal, attempt, run }: Job): number | undefined {
    const running = this.#running.get(ordinal)
    return (running?.attempt === attempt ? running.run : undefined) ?? run
  }

  /** A job is done, or nobody wants it any more. */
  forget({ ordinal, attempt }: Job): void {
    this.#waiting.delete(ordinal)
    this.#running.delete(ordinal)
    this.#ended.set(ordinal, attempt)
  }

  /** How many runs are under way, those that another process started included. */
  #countRunning(jobs: CampaignState['jobs']): number {
    for (const ordinals of [this.#running, this.#ended]) {
      for (const ordinal of ordinals.keys()) if (!jobs.has(ordinal)) ordinals.delete(ordinal)
    }
    const elsewhere = [...jobs.values()].filter(
      ({ ordinal, run }) => run !== undefined && !this.#running.has(ordinal) && !this.#ended.has(ordinal),
    )
    return this.#running.size + elsewhere.length
  }

  // What people wait for starts also while it is paused and beside all others. A root that could not be measured is
  // measured again when somebody says so, not for ever.
  #mayStart({ campaign, config, jobs }: CampaignState, job: Job): boolean {
    const { status } = campaign
    // What is in the way of one run is in the way of all.
    if (status.phase === 'paused' && status.reason === 'preflight') return false
    if (isAskedFor(job)) return true
    if (job.kind === 'baseline') return status.phase !== 'paused' || status.reason !== 'baseline-invalid'
    return status.phase !== 'paused' && this.#countRunning(jobs) < config.limits.parallel
  }

  /** Starts waiting jobs while there is room. Tells the runs that became known, and what held it up. */
  async pump(snapshot: Dated): Promise<readonly CampaignEvent[]> {
    const events: CampaignEvent[] = []
    const byOrdinal = [...this.#waiting.values()].sort((a, b) => a.job.ordinal - b.job.ordinal)
    for (const { job, again } of byOrdinal) {
      const open = snapshot.state.jobs.get(job.ordinal)
      const isDue = open?.attempt === job.attempt && open.run === undefined
      if (!isDue) this.#waiting.delete(job.ordinal)
      if (!isDue || !this.#mayStart(snapshot.state, job)) continue
      const outcome = await this.#startRun(requestOf(snapshot, job), again)
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

  async #startRun(request: RunRequest, again: boolean): Promise<DispatchOutcome> {
    const { api } = this.#ports
    const found = again ? await findDispatched(api, request, this.#isTrusted) : undefined
    return found === undefined ? await dispatchRun(api, request) : { status: 'dispatched', runId: found.id }
  }
}

function explainRefusal(http: number, message: string): string {
  return `GitHub refused to start a run (${http}: ${message.slice(0, 300)}). Is .github/workflows/${WORKFLOW_FILE} on the default branch, switched on, and the one from workflows-templates/?`
}
