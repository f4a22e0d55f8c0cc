/**
 * A request to end a job. It does not kill: steps whose condition still holds, such as `always()`, run to their
 * end. `kill` ends those too.
 */
export class Cancellation {
  readonly #listeners = new Set<() => void>()
  readonly #request = new AbortController()
  readonly #kill = new AbortController()
  readonly #graceMs: number

  constructor(graceMs: number) {
    this.#graceMs = graceMs
  }

  get isRequested(): boolean {
    return this.signal.aborted
  }

  /** Aborted when the job should end. */
  get signal(): AbortSignal {
    return this.#request.signal
  }

  /** Asks the job to end, and kills it after the grace period. */
  request(): void {
    if (this.isRequested) return
    this.#request.abort()
    for (const listener of this.#listeners) listener()
    setTimeout(() => this.kill(), this.#graceMs).unref()
  }

  kill(): void {
    this.request()
    this.#kill.abort()
  }

  /** Runs work that a cancellation stops, unless it is still wanted then. */
  async guard<T>(isStillWanted: () => boolean, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const stop = new AbortController()
    const onRequest = (): void => {
      if (!isStillWanted()) stop.abort()
    }
    this.#listeners.add(onRequest)
    try {
      return await work(AbortSignal.any([stop.signal, this.#kill.signal]))
    } finally {
      this.#listeners.delete(onRequest)
    }
  }
}
