import { rngFor } from '../../src/core/rng.ts'
import type { Clock } from '../../src/github/api/clock.ts'

interface Timer {
  readonly at: number
  readonly order: number
  readonly task: () => void
}

/** Time that stands still until somebody moves it on, from one timer to the next: hours pass as fast as work is done. */
export class VirtualClock implements Clock {
  readonly #chance = rngFor(1, 0, 'clock')
  #timers: Timer[] = []
  #nowMs: number
  #order = 0

  constructor(startMs = Date.UTC(2030, 0, 1)) {
    this.#nowMs = startMs
  }

  now(): number {
    return this.#nowMs
  }

  async sleep(ms: number): Promise<void> {
    await new Promise<void>((resolve) => this.after(ms, resolve))
  }

  after(ms: number, task: () => void): () => void {
    const timer = { at: this.#nowMs + Math.max(0, ms), order: this.#order++, task }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer)
    }
  }

  jitter(): number {
    return this.#chance.unit()
  }

  /** Moves on to the next timer and lets it go; false when there is none. */
  advance(): boolean {
    const [next] = this.#timers.sort((a, b) => a.at - b.at || a.order - b.order)
    if (next === undefined) return false
    this.#timers.shift()
    this.#nowMs = next.at
    next.task()
    return true
  }
}
