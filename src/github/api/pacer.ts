import { LoreleyError } from '../../errors.ts'
import type { Clock } from './clock.ts'
import type { PaceSettings } from './pace-settings.ts'

/** What goes first when requests have to wait: a person's command, then work for runners, then the rest. */
export const PRIORITIES = ['command', 'dispatch', 'state', 'report'] as const
export type Priority = (typeof PRIORITIES)[number]

/** What the pacer has to know of a request. */
export interface Turn {
  readonly priority: Priority
  readonly writes: boolean
}

/** What several processes may write together, where they share a count. */
export interface SharedBudget {
  /** Takes one write; 0 when it may go, else the milliseconds after which to ask again. */
  reserve(): Promise<number>
  /** Nobody's writes go for so long: GitHub asked for it. */
  hold(ms: number): Promise<void>
}

interface Waiter extends Turn {
  go(): void
}

const MINUTE_MS = 60_000
// A report keeps its repository's queue, and so people's commands, waiting. It is made again later.
const REPORT_PATIENCE_MS = MINUTE_MS
const HOUR_MS = 3_600_000

/**
 * Lets the requests of one installation go: writes in bursts, so many a minute and an hour, the most pressing
 * first. Reads wait only for a hold and for a free place.
 */
export class Pacer {
  readonly #settings: PaceSettings
  readonly #clock: Clock
  readonly #shared: SharedBudget | undefined
  /** In the order in which they came, within each priority. */
  readonly #waiting = new Map<Priority, Waiter[]>(PRIORITIES.map((priority) => [priority, []]))
  /** When each write of the last hour went. */
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

  /** Requests whose turn has come and that are not answered yet. */
  get underWay(): number {
    return this.#running
  }

  /** Does the work when its turn has come. */
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

  /** Nothing goes before that moment: GitHub asked us to wait. */
  async hold(untilMs: number): Promise<void> {
    this.#heldUntil = Math.max(this.#heldUntil, untilMs)
    await this.#shared?.hold(untilMs - this.#clock.now())
  }

  // Other processes write for the same installation: what ours has left may be spent already.
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

  /** The earliest moment at which such a request may go. */
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
    'What GitHub lets an installation write in an hour is used up: reports wait.',
    'They are written when there is room again. Fewer candidates in parallel leave more of it.',
  )
}
