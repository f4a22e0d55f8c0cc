import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Run, runs } from '../actions/documents.ts'
import type { Runner } from '../actions/runner.ts'
import { completeJob, jobsOf } from '../actions/runs/jobs.ts'
import { completeRun, holdRun, refuseRun } from '../actions/runs/runs.ts'
import type { Box } from '../box.ts'
import { ConcurrencyGroups, readConcurrency } from './concurrency.ts'
import { RunAttempt } from './run-attempt.ts'
import { loadRun, type RunnerTools } from './run-request.ts'
import { Slots } from './slots.ts'
import { evaluateText } from './syntax/evaluate.ts'
import { watchClock } from './triggers/schedule.ts'

export interface RunnerOptions {
  /** How many jobs run at the same time. */
  readonly parallel?: number
  /** The PATH of jobs. They inherit nothing else from the caller's environment. */
  readonly path: string
  /** How long a cancelled job may continue with `always()` steps. */
  readonly cancelGraceMs?: number
}

const DEFAULT_PARALLEL = 4
const DEFAULT_CANCEL_GRACE_MS = 300_000

interface ActiveRun {
  readonly abort: AbortController
  attempt: RunAttempt | undefined
}

/** Executes workflow runs on this machine. */
export class WorkflowRunner implements Runner {
  readonly #tools: RunnerTools
  readonly #active = new Map<number, ActiveRun>()
  readonly #ends = new Set<Promise<void>>()
  readonly #stopClock: () => void
  /** Lets runs enter their concurrency groups in the order in which they were queued. */
  #entrance: Promise<unknown> = Promise.resolve()

  constructor(box: Box, options: RunnerOptions) {
    this.#tools = {
      box,
      slots: new Slots(options.parallel ?? DEFAULT_PARALLEL),
      groups: new ConcurrencyGroups(),
      // Outside the sandbox's own folder, so that a job does not stumble on its state.
      jobsFolder: mkdtempSync(join(tmpdir(), 'loreley-jobs-')),
      path: options.path,
      cancelGraceMs: options.cancelGraceMs ?? DEFAULT_CANCEL_GRACE_MS,
    }
    this.#stopClock = watchClock(box)
  }

  async title(run: Run): Promise<string | undefined> {
    const loaded = await loadRun(this.#tools, run)
    if (loaded.status === 'invalid' || loaded.request.workflow.runName === undefined) return undefined
    const { workflow, contexts } = loaded.request
    return evaluateText(workflow.runName, { contexts }).trim() || undefined
  }

  start(run: Run): void {
    const active: ActiveRun = { abort: new AbortController(), attempt: undefined }
    this.#active.set(run.id, active)
    const entered = this.#entrance.then(() => this.#enter(run, active))
    this.#entrance = entered.then(
      () => undefined,
      () => undefined,
    )
    const end = entered
      .then(({ end }) => end)
      .catch((error: unknown) => this.#giveUp(run, error))
      .finally(() => {
        if (this.#active.get(run.id) === active) this.#active.delete(run.id)
        this.#ends.delete(end)
      })
    this.#ends.add(end)
  }

  cancel(run: Run, force: boolean): void {
    const active = this.#active.get(run.id)
    active?.abort.abort()
    if (force) active?.attempt?.kill()
    else active?.attempt?.cancel()
  }

  /** Starts runs that were queued while there was no runner. Cancels those that were in progress. */
  async resume(): Promise<void> {
    const { box } = this.#tools
    for (const run of runs(box.store).all()) {
      if (run.status === 'queued' || run.status === 'pending') this.start(run)
      if (run.status !== 'in_progress') continue
      for (const job of jobsOf(box, run)) await completeJob(box, job.id, 'cancelled')
      await completeRun(box, run.id, 'cancelled')
    }
  }

  /** Waits until all runs have ended. */
  async settled(): Promise<void> {
    while (this.#ends.size > 0) await Promise.all(this.#ends)
  }

  /** Ends all jobs at once. */
  async close(): Promise<void> {
    this.#stopClock()
    for (const { abort, attempt } of this.#active.values()) {
      abort.abort()
      attempt?.kill()
    }
    await this.settled()
    await rm(this.#tools.jobsFolder, { recursive: true, force: true })
  }

  // Returns the end in an object: a bare promise would make the next run wait for it.
  async #enter(run: Run, active: ActiveRun): Promise<{ readonly end: Promise<void> }> {
    const { box, groups } = this.#tools
    const loaded = await loadRun(this.#tools, run)
    if (loaded.status === 'invalid') {
      return { end: refuseRun(box, run.id, loaded.problems) }
    }
    const { request } = loaded
    const work = async (): Promise<void> => {
      holdRun(box, run.id, false)
      active.attempt = new RunAttempt(request)
      await active.attempt.run()
    }
    const options = readConcurrency(request.workflow.concurrency, { contexts: request.contexts })
    if (options === undefined) return { end: active.abort.signal.aborted ? this.#endCancelled(run) : work() }
    const { signal } = active.abort
    const key = `${request.repo.id}/${options.group}`
    holdRun(box, run.id, true)
    const entry = groups.use(key, { options, signal, cancel: () => this.cancel(run, false) }, async () => {
      await work()
      return 'ran' as const
    })
    return { end: entry.then((how) => (how === undefined ? this.#endCancelled(run) : undefined)) }
  }

  async #endCancelled(run: Run): Promise<void> {
    await completeRun(this.#tools.box, run.id, 'cancelled')
  }

  async #giveUp(run: Run, error: unknown): Promise<void> {
    const { box } = this.#tools
    box.reportDeviation(`run ${run.id} threw: ${String(error)}`)
    for (const job of jobsOf(box, run)) await completeJob(box, job.id, 'failure')
    await completeRun(box, run.id, 'failure')
  }
}
