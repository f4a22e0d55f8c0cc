import { Redis } from '@upstash/redis'
import type { Clock } from '../../github/api/clock.ts'

/** Where the shared Redis is, and who is told when it fails. */
export interface RedisLinkOptions {
  readonly url: string
  readonly token: string
  readonly clock: Clock
  /** Told of everything that Redis did not answer. */
  readonly onFailure: (what: string, error: unknown) => void
}

const ANSWER_MS = 2000
// While Redis is away every question would cost its whole patience.
const AWAY_MS = 15_000

/** The way to Redis. When it does not answer, the process decides alone: late help is worse than none. */
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

  /** Asks Redis; undefined when it does not answer. */
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
