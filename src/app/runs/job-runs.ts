import { createHash, randomUUID } from 'node:crypto'
import type { CampaignState } from '../../core/campaign/campaign.ts'
import { isAskedFor } from '../../core/campaign/effects.ts'
import type { CampaignEvent } from '../../core/campaign/events.ts'
import type { Job, ParentRef } from '../../core/campaign/job.ts'
import { candidateId } from '../../core/candidate/candidate-id.ts'
import { dispatchRun } from '../../github/runs/dispatch.ts'
import { listRunsIfAny, type RunFacts } from '../../github/runs/runs.ts'
import { type DispatchInputs, renderRunName } from '../../protocol/dispatch.ts'
import type { Snapshot } from '../../store/state-store.ts'
import type { ApiPort, ClockPort, SettingsPort } from '../ports.ts'
import { runnerBranch, WORKFLOW_FILE } from './workflow.ts'

type RunPorts = ApiPort & ClockPort & SettingsPort

/** The state, and the commit from which runs read it. */
type Dated = Pick<Snapshot, 'state' | 'revision'>

/**
 * Identifies a dispatch in the run's name. It is derived from the state, so it is known before the dispatch and after
 * a crash.
 */
function nonceOf({ campaign }: CampaignState, { ordinal, attempt }: RunJob): string {
  const text = `${campaign.id} ${campaign.root.commit} ${campaign.nonce ?? ''} ${ordinal} ${attempt}`
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

/** An open job, or one that the ledger tells of. */
export type RunJob = Pick<Job, 'kind' | 'ordinal' | 'attempt' | 'run' | 'describes'> & {
  readonly parent?: Pick<ParentRef, 'commit'>
}

/** What a job's run is named after. */
export function bindingOf(state: CampaignState, job: RunJob) {
  const { kind, ordinal } = job
  return { kind, candidate: candidateId(state.campaign.id, ordinal), nonce: nonceOf(state, job) }
}

/** The inputs of a job's run. */
export function inputsOf({ state, revision }: Dated, job: Job): DispatchInputs {
  return {
    ...bindingOf(state, job),
    state: revision.head ?? '',
    root: state.campaign.root.commit,
    base: job.parent.commit,
    ...(job.kind === 'confirm' && job.rival && { rival: job.rival.commit }),
  }
}

/** A run of one attempt of a job. */
interface Running {
  readonly attempt: number
  readonly run?: number
  readonly sentAt: number
}

/** Starts the jobs of a campaign that this process has claimed, and remembers which of them run. */
export class JobRuns {
  readonly #ports: RunPorts
  readonly #isTrusted: (run: RunFacts) => boolean
  /** Identifies this process in the state. */
  readonly #id = randomUUID()
  /** By ordinal: the run, or when an unanswered dispatch was sent. */
  readonly #running = new Map<number, Running>()
  /** By ordinal: the attempt whose run has ended, although the state does not show it yet. */
  readonly #ended = new Map<number, number>()
  /** By ordinal: when this process saw that it has taken over a job; `Infinity` before. */
  readonly #takenOver = new Map<number, number>()

  constructor(ports: RunPorts, isTrusted: (run: RunFacts) => boolean) {
    this.#ports = ports
    this.#isTrusted = isTrusted
  }

  /** Claims jobs in the next step: those that nobody has claimed, and those that it takes over. */
  claim(takesOver: readonly Job[]): CampaignEvent {
    const jobs = takesOver.filter(({ claimedBy }) => claimedBy !== undefined)
    for (const { ordinal } of jobs) this.#takenOver.set(ordinal, Number.POSITIVE_INFINITY)
    return {
      type: 'claim',
      by: this.#id,
      takesOver: jobs.map(({ ordinal, attempt }) => ({ ordinal, attempt })),
    }
  }

  /** Whether the state lets this process, and no other, start a job. */
  isClaimed({ claimedBy }: Job): boolean {
    return claimedBy === this.#id
  }

  /** When an unconfirmed dispatch was sent. */
  findUnconfirmed({ ordinal, attempt }: Job): number | undefined {
    const running = this.#running.get(ordinal)
    return running?.attempt === attempt && running.run === undefined ? running.sentAt : undefined
  }

  /** Remembers a run that was found by its name or in the state. */
  found({ ordinal, attempt }: Job, run: number): void {
    this.#running.set(ordinal, { attempt, run, sentAt: this.#ports.clock.now() })
  }

  /** The run of a job; undefined while unknown. The state decides if there are several. */
  runOf({ ordinal, attempt, run }: Job): number | undefined {
    const running = this.#running.get(ordinal)
    return run ?? (running?.attempt === attempt ? running.run : undefined)
  }

  /** Forgets a job that is done or no longer needed. */
  forget({ ordinal, attempt }: Job): void {
    this.#running.delete(ordinal)
    this.#ended.set(ordinal, attempt)
  }

  /** The dispatch of a job came to nothing. It may start again. */
  giveUp({ ordinal }: Job): void {
    this.#running.delete(ordinal)
  }

  /** The jobs without a run for which there is room, whoever has claimed them. */
  findDue(state: CampaignState): readonly Job[] {
    const { baseline } = state.campaign
    const waiting = [...state.jobs.values()].filter(
      (job) =>
        job.result === undefined &&
        job.run === undefined &&
        this.#running.get(job.ordinal)?.attempt !== job.attempt &&
        this.#ended.get(job.ordinal) !== job.attempt &&
        // The baseline decides how jobs are measured, so only the root itself can run before it.
        (job.kind === 'baseline' || baseline !== undefined),
    )
    let room = state.config.limits.parallel - this.#countRunning(state.jobs)
    const due = waiting.sort((a, b) => a.ordinal - b.ordinal)
    return due.filter((job) => mayStart(state, job) && (!needsRoom(job) || room-- > 0))
  }

  /** Those that this process may start now. */
  findStartable(state: CampaignState): readonly Job[] {
    return this.findDue(state).filter((job) => this.isClaimed(job) && this.#isFree(job))
  }

  // The process that a job was taken from may just have sent its dispatch: wait until GitHub shows the run.
  #isFree({ ordinal }: Job): boolean {
    const { clock, settings } = this.#ports
    const since = this.#takenOver.get(ordinal)
    if (since === undefined) return true
    const takenAt = Math.min(since, clock.now())
    this.#takenOver.set(ordinal, takenAt)
    return clock.now() - takenAt >= settings.startMs
  }

  /** The number of active runs, including those that another process started. */
  #countRunning(jobs: CampaignState['jobs']): number {
    for (const ordinals of [this.#running, this.#ended, this.#takenOver]) {
      for (const ordinal of ordinals.keys()) if (!jobs.has(ordinal)) ordinals.delete(ordinal)
    }
    const elsewhere = [...jobs.values()].filter(
      ({ ordinal, run }) => run !== undefined && !this.#running.has(ordinal) && !this.#ended.has(ordinal),
    )
    return this.#running.size + elsewhere.length
  }

  /**
   * Starts claimed jobs while there is room. Returns the runs that it started, and what prevented others. An earlier
   * process may have started one and died, so each is looked for by name first.
   */
  async startWaiting(snapshot: Dated): Promise<readonly CampaignEvent[]> {
    const jobs = this.findStartable(snapshot.state)
    if (jobs.length === 0) return []
    const { api, clock } = this.#ports
    const target = { workflow: WORKFLOW_FILE, branch: runnerBranch(snapshot.state.campaign.id) }
    const listed = (await listRunsIfAny(api, target.workflow, target.branch)).filter(this.#isTrusted)
    const events: CampaignEvent[] = []
    for (const job of jobs) {
      const { ordinal, attempt } = job
      const inputs = inputsOf(snapshot, job)
      const name = renderRunName(inputs)
      // The oldest one: if it was dispatched twice after all, everybody picks the same.
      const found = listed.findLast(({ title }) => title === name)
      const outcome =
        found === undefined
          ? await dispatchRun(api, { ...target, inputs })
          : ({ status: 'dispatched', runId: found.id } as const)
      if (outcome.status === 'refused') {
        const detail = explainRefusal(outcome.http, outcome.message)
        return [...events, { type: 'hold', reason: 'preflight', detail }]
      }
      const run = outcome.status === 'dispatched' ? { run: outcome.runId } : undefined
      this.#running.set(ordinal, { attempt, sentAt: clock.now(), ...run })
      if (run !== undefined) events.push({ type: 'dispatched', ordinal, attempt, ...run })
    }
    return events
  }
}

// During a pause, only jobs that people asked for start. An obstacle to one run is an obstacle to all.
function mayStart({ campaign: { status } }: CampaignState, job: Job): boolean {
  return status.phase !== 'paused' || (status.reason !== 'preflight' && isAskedFor(job))
}

function needsRoom(job: Job): boolean {
  return job.kind !== 'baseline' && !isAskedFor(job)
}

function explainRefusal(http: number, message: string): string {
  return `GitHub refused to start a run (${http}: ${message.slice(0, 300)}). Is .github/workflows/${WORKFLOW_FILE} on the default branch, switched on, and the one from workflows-templates/?`
}
