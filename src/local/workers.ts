import type { CampaignEvent } from '../core/campaign/events.ts'
import type { Job, JobResult } from '../core/campaign/job.ts'

type Run = (job: Job, signal: AbortSignal) => Promise<JobResult | undefined>

/** Runs dispatched jobs, the lowest ordinal first, a bounded number at once, and collects their results as events. */
export class Workers {
  readonly #run: Run
  readonly #parallel: number
  readonly #abort = new AbortController()
  readonly #queue = new Map<string, Job>()
  readonly #running = new Map<string, Promise<void>>()
  #events: CampaignEvent[] = []
  #fault: { readonly error: unknown } | undefined
  #wake: () => void = () => undefined

  constructor(run: Run, parallel: number) {
    this.#run = run
    this.#parallel = parallel
  }

  /** Queues a job, unless it is queued or running already. */
  dispatch(job: Job): void {
    const key = `${job.ordinal}/${job.attempt}`
    if (this.#queue.has(key) || this.#running.has(key)) return
    this.#queue.set(key, job)
    this.#pump()
  }

  /** Results since the last call. Waits for one while a job runs; empty when all is done. */
  async take(): Promise<readonly CampaignEvent[]> {
    while (this.#events.length === 0 && this.#fault === undefined && this.#running.size > 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    if (this.#fault !== undefined) throw this.#fault.error
    return this.#events.splice(0)
  }

  /** Stops all running jobs with their processes, and waits for their end. */
  async stop(): Promise<void> {
    this.#queue.clear()
    this.#abort.abort()
    this.#wake()
    await Promise.all(this.#running.values())
  }

  #pump(): void {
    const waiting = [...this.#queue].sort(([, a], [, b]) => a.ordinal - b.ordinal)
    for (const [key, job] of waiting) {
      if (this.#running.size >= this.#parallel || this.#fault !== undefined) return
      this.#queue.delete(key)
      this.#running.set(key, this.#work(key, job))
    }
  }

  async #work(key: string, job: Job): Promise<void> {
    try {
      const result = await this.#run(job, this.#abort.signal)
      if (result !== undefined) {
        this.#events.push({ type: 'finished', ordinal: job.ordinal, attempt: job.attempt, result })
      }
    } catch (error) {
      this.#fault ??= { error }
    } finally {
      this.#running.delete(key)
      this.#pump()
      this.#wake()
    }
  }
}
