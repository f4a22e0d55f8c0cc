import type { Clock } from '../../github/api/clock.ts'

/** Work for later. All of it can be cancelled at once. */
export class Timers {
  readonly #clock: Clock
  readonly #cancels = new Set<() => void>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Runs a task once. Returns a function that cancels it. */
  after(delayMs: number, task: () => void): () => void {
    const stop = this.#clock.after(delayMs, () => {
      this.#cancels.delete(cancel)
      task()
    })
    const cancel = (): void => {
      this.#cancels.delete(cancel)
      stop()
    }
    this.#cancels.add(cancel)
    return cancel
  }

  /** Runs a task regularly, first after one interval. */
  every(intervalMs: number, task: () => void): void {
    this.after(intervalMs, () => {
      this.every(intervalMs, task)
      task()
    })
  }

  /** How many tasks are waiting. */
  get size(): number {
    return this.#cancels.size
  }

  clear(): void {
    for (const cancel of [...this.#cancels]) cancel()
  }
}
