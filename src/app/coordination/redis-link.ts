import { Redis } from '@upstash/redis'
import type { Clock } from '../../github/api/clock.ts'

/** Where the shared Redis is, and whom to tell when it fails. */
export interface RedisLinkOptions {
  readonly url: string
  readonly token: string
  readonly clock: Clock
  /** Called for every request that Redis did not answer. */
  readonly onFailure: (what: string, error: unknown) => void
}

const ANSWER_MS = 2000
// After a failure, do not ask for a while: each request would wait for its timeout.
const AWAY_MS = 15_000

/** The connection to Redis. When Redis does not answer, the process decides alone: late help is worse than none. */
export class RedisLink {
  readonly #redis: Redis
  readonly #options: RedisLinkOptions
  #awayUntil = Number.NEGATIVE_INFINITY

  constructor(options: RedisLinkOptions) {
    this.#options = options
    this.#redis = new Redis({
      url: options.url,
      token: options.token,
      signal: () => AbortSignal.timeout(ANSWER_MS),
      retry: { retries: 1, backoff: () => 100 },
      // Numbers in strings stay strings.
      automaticDeserialization: false,
      enableTelemetry: false,
    })
  }

  /** Asks Redis; undefined if it does not answer. */
  async ask<T>(what: string, question: (redis: Redis) => Promise<T>): Promise<T | undefined> {
    const { clock, onFailure } = this.#options
    if (clock.now() < this.#awayUntil) return undefined
    try {
      return await question(this.#redis)
    } catch (error) {
      this.#awayUntil = clock.now() + AWAY_MS
      onFailure(what, error)
      return undefined
    }
  }
}
