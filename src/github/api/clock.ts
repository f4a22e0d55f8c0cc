import { setTimeout as wait } from 'node:timers/promises'

/** Time as an argument: a test's clock does not make anybody wait. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  sleep(ms: number): Promise<void>
  /** Does something later; what it gives calls it off. */
  after(ms: number, task: () => void): () => void
  /** A number in [0, 1) that spreads retries; chance here changes no result. */
  jitter(): number
}

/** The machine's own time. */
export const SYSTEM_CLOCK: Clock = {
  now: () => Date.now(),
  sleep: async (ms) => {
    await wait(ms)
  },
  after: (ms, task) => {
    const timer = setTimeout(task, ms)
    return () => clearTimeout(timer)
  },
  jitter: () => Math.random(),
}
