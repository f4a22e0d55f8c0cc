import { LoreleyError } from '../../errors.ts'
import type { Clock } from './clock.ts'
import type { PaceSettings } from './pace-settings.ts'

/** The order of waiting requests: people's commands first, then dispatches, state and reports. */
export const PRIORITIES = ['command', 'dispatch', 'state', 'report'] as const
export type Priority = (typeof PRIORITIES)[number]

/** What the pacer needs to know about a request. */
export interface Turn {
  readonly priority: Priority
  readonly writes: boolean
}

/** The write budget that several processes share. */
export interface SharedBudget {
  /** Reserves one write: 0 if it may go now, else the milliseconds until the next attempt. */
  reserve(): Promise<number>
  /** Blocks all writes for a while, because GitHub said so. */
  hold(ms: number): Promise<void>
}

interface Waiter extends Turn {
  go(): void
}

const MINUTE_MS = 60_000
// A waiting report blocks the queue of its repository, including people's commands. It is written later instead.
const REPORT_PATIENCE_MS = MINUTE_MS
const HOUR_MS = 3_600_000

/**
 * Paces the requests of one installation: writes in bursts, limited per minute and per hour, most urgent first. Reads
 * wait only for a hold or a free connection.
 */
export class Pacer {
  readonly #settings: PaceSettings
  readonly #clock: Clock
  readonly #shared: SharedBudget | undefined
  /** First come, first served within each priority. */
  readonly #waiting = new Map<Priority, Waiter[]>(PRIORITIES.map((priority) => [priority, []]))
  /** The times of the writes of the last hour. */
  readonly #writes: number[] = []
  #allowance: number
  #countedAt: number
  #running = 0
  #heldUntil = 0
  #wakesAt = Number.POSITIVE_INFINITY

  constructor(settings: PaceSettings, clock: Clock, shared?: SharedBudget) {
    this.#settings = settings
    this.#clock = clock
    this.#shared = shared
    this.#allowance = settings.burst
    this.#countedAt = clock.now()
  }

  /** Requests that were sent and not answered yet. */
  get underWay(): number {
    return this.#running
  }

  /** Runs the work when its turn comes. */
  async run<T>(turn: Turn, work: () => Promise<T>): Promise<T> {
    const isReport = turn.priority === 'report' && turn.writes
    if (isReport && this.#hourFreeAt() - this.#clock.now() > REPORT_PATIENCE_MS) throw busy()
    await new Promise<void>((resolve) => {
      this.#waiting.get(turn.priority)?.push({ ...turn, go: resolve })
      this.#letGo()
    })
    try {
      if (turn.writes && this.#shared !== undefined) await this.#reserve(this.#shared)
      return await work()
    } finally {
      this.#running -= 1
      this.#letGo()
    }
  }

  /** Sends nothing before that time, because GitHub asked us to wait. */
  async hold(untilMs: number): Promise<void> {
    this.#heldUntil = Math.max(this.#heldUntil, untilMs)
    await this.#shared?.hold(untilMs - this.#clock.now())
  }

  // Other processes share the installation's budget, so ours may already be used up.
  async #reserve(shared: SharedBudget): Promise<void> {
    for (;;) {
      const waitMs = await shared.reserve()
      if (waitMs <= 0) return
      await this.#clock.sleep(waitMs)
    }
  }

  #letGo(): void {
    for (const priority of PRIORITIES) {
      const waiting = this.#waiting.get(priority) ?? []
      for (let index = 0; index < waiting.length && this.#running < this.#settings.concurrent; ) {
        const waiter = waiting[index]
        if (waiter === undefined || this.#freeAt(waiter) > this.#clock.now()) index += 1
        else {
          waiting.splice(index, 1)
          this.#start(waiter)
        }
      }
    }
    this.#wakeLater()
  }

  #start(waiter: Waiter): void {
    this.#running += 1
    if (waiter.writes) {
      this.#allowance -= 1
      this.#writes.push(this.#clock.now())
    }
    waiter.go()
  }

  /** The earliest time at which such a request may go. */
  #freeAt({ writes }: Turn): number {
    const now = this.#clock.now()
    const free = Math.max(now, this.#heldUntil)
    if (!writes) return free
    const { burst, writesPerMinute } = this.#settings
    const perMs = writesPerMinute / MINUTE_MS
    this.#allowance = Math.min(burst, this.#allowance + (now - this.#countedAt) * perMs)
    this.#countedAt = now
    const refilled = this.#allowance >= 1 ? now : now + Math.ceil((1 - this.#allowance) / perMs)
    return Math.max(free, refilled, this.#hourFreeAt())
  }

  /** When the hour has room for one more write. */
  #hourFreeAt(): number {
    const now = this.#clock.now()
    while ((this.#writes[0] ?? now) <= now - HOUR_MS) this.#writes.shift()
    const first = this.#writes[this.#writes.length - this.#settings.writesPerHour]
    return first === undefined ? now : first + HOUR_MS
  }

  #wakeLater(): void {
    const all = [...this.#waiting.values()].flat()
    if (all.length === 0 || this.#running >= this.#settings.concurrent) return
    const at = Math.min(...all.map((waiter) => this.#freeAt(waiter)))
    if (at >= this.#wakesAt) return
    this.#wakesAt = at
    void this.#clock.sleep(at - this.#clock.now()).then(() => {
      if (this.#wakesAt === at) this.#wakesAt = Number.POSITIVE_INFINITY
      this.#letGo()
    })
  }
}

function busy(): LoreleyError {
  return new LoreleyError(
    'github-unavailable',
    'The hourly write limit of this installation is used up, so reports wait.',
    'They are written once the limit resets. Run fewer candidates in parallel to stay below it.',
  )
}
