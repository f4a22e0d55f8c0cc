import type { Clock } from '../../github/api/clock.ts'

/** What the app will do later. All of it can be called off at once. */
export class Timers {
  readonly #clock: Clock
  readonly #callOffs = new Set<() => void>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Does something once; what it gives calls it off. */
  after(delayMs: number, task: () => void): () => void {
    const callOff = this.#clock.after(delayMs, () => {
      this.#callOffs.delete(callOff)
      task()
    })
    this.#callOffs.add(callOff)
    return callOff
  }

  /** Again and again, the first time after one span. */
  every(spanMs: number, task: () => void): void {
    this.after(spanMs, () => {
      this.every(spanMs, task)
      task()
    })
  }

  clear(): void {
    for (const callOff of this.#callOffs) callOff()
    this.#callOffs.clear()
  }
}
