import type { SecondaryLimits, Settings } from '../settings.ts'
import { ApiError } from './errors.ts'

interface Window {
  startedMs: number
  used: number
}

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

export interface RateState {
  readonly limit: number
  readonly remaining: number
  readonly used: number
  readonly reset: number
  readonly resource: string
}

/** Counts each actor's requests and refuses those over the limits. */
export class Limits {
  readonly #settings: Settings
  readonly #nowMs: () => number
  readonly #windows = new Map<string, Window>()
  #running = 0

  constructor(settings: Settings, nowMs: () => number) {
    this.#settings = settings
    this.#nowMs = nowMs
  }

  /** The actor's use of the primary limit. */
  read(actor: string, resource: string): RateState {
    const window = this.#window(`${actor} ${resource}`, HOUR_MS)
    const limit = this.#settings.primaryPerHour
    return {
      limit,
      used: window.used,
      remaining: Math.max(limit - window.used, 0),
      reset: Math.floor((window.startedMs + HOUR_MS) / 1000),
      resource,
    }
  }

  /** Counts a request against the primary limit. Throws 403 when it is used up. */
  spendPrimary(actor: string, resource: string): void {
    if (this.read(actor, resource).remaining === 0) {
      throw new ApiError(403, `API rate limit exceeded for ${actor}.`)
    }
    this.#window(`${actor} ${resource}`, HOUR_MS).used += 1
  }

  /** Refunds a 304, which GitHub does not count. */
  refund(actor: string, resource: string): void {
    this.#window(`${actor} ${resource}`, HOUR_MS).used -= 1
  }

  /** Counts a request against the secondary limits, if they are on. Call the returned function when it ends. */
  enter(actor: string, writes: boolean): () => void {
    const limits = this.#settings.secondary
    if (limits !== undefined) this.#spendSecondary(actor, writes, limits)
    this.#running += 1
    return () => {
      this.#running -= 1
    }
  }

  #spendSecondary(actor: string, writes: boolean, limits: SecondaryLimits): void {
    const checks: readonly [string, number, number, number][] = [
      ['points', MINUTE_MS, writes ? 5 : 1, limits.pointsPerMinute],
      ['content a minute', MINUTE_MS, writes ? 1 : 0, limits.contentPerMinute],
      ['content an hour', HOUR_MS, writes ? 1 : 0, limits.contentPerHour],
    ]
    if (this.#running >= limits.concurrent) throw secondaryLimit(60)
    for (const [name, lengthMs, cost, most] of checks) {
      const window = this.#window(`${actor} ${name}`, lengthMs)
      if (window.used + cost > most) {
        throw secondaryLimit(Math.ceil((window.startedMs + lengthMs - this.#nowMs()) / 1000))
      }
      window.used += cost
    }
  }

  #window(key: string, lengthMs: number): Window {
    const now = this.#nowMs()
    const window = this.#windows.get(key)
    if (window !== undefined && now < window.startedMs + lengthMs) return window
    const fresh = { startedMs: now, used: 0 }
    this.#windows.set(key, fresh)
    return fresh
  }
}

/** GitHub's answer when a secondary limit is exceeded. It does not always say how long to wait. */
export function secondaryLimit(retryAfterSeconds?: number): ApiError {
  return new ApiError(
    403,
    'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.',
    retryAfterSeconds === undefined ? {} : { headers: { 'retry-after': String(retryAfterSeconds) } },
  )
}
