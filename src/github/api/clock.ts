import { setTimeout as wait } from 'node:timers/promises'

/** Time as an argument, so that tests do not wait. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  sleep(ms: number): Promise<void>
  /** Runs a task later; the returned function cancels it. */
  after(ms: number, task: () => void): () => void
  /** A number in [0, 1) that spreads retries. It changes no result. */
  jitter(): number
}

/** The system clock. */
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
