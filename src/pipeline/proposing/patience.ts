/** Runs work that starts programs, now or when there is room for it. */
export type RunPrograms = <T>(work: () => Promise<T>) => Promise<T>

const MAX_TIMER_MS = 2 ** 31 - 1

/** The time limit of an agent. It does not run while programs wait for their turn. */
export class Patience {
  readonly #abort = new AbortController()
  #leftMs: number
  #startedMs = performance.now()
  #timer: NodeJS.Timeout | undefined
  /** How long programs have waited. */
  waitedMs = 0

  constructor(timeoutMs: number) {
    this.#leftMs = timeoutMs
    this.#start()
  }

  /** Aborted when the time is up. */
  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** Lets programs wait for their turn without using up time. */
  during(runPrograms: RunPrograms | undefined): RunPrograms {
    if (runPrograms === undefined) return (work) => work()
    return async (work) => {
      this.stop()
      const askedMs = performance.now()
      return await runPrograms(async () => {
        this.waitedMs += performance.now() - askedMs
        this.#start()
        return await work()
      })
    }
  }

  /** Stops the clock. */
  stop(): void {
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#leftMs -= performance.now() - this.#startedMs
  }

  #start(): void {
    if (this.#timer !== undefined) return
    this.#startedMs = performance.now()
    const reason = new DOMException('The agent ran into its time limit.', 'TimeoutError')
    this.#timer = setTimeout(
      () => this.#abort.abort(reason),
      Math.min(Math.max(0, this.#leftMs), MAX_TIMER_MS),
    )
  }
}
