import { setTimeout as sleep } from 'node:timers/promises'
import type { Settings } from '../settings.ts'
import type { Chance } from './chance.ts'
import { ApiError } from './errors.ts'
import { secondaryLimit } from './limits.ts'
import type { Reply } from './reply.ts'

const KEPT_READS = 2000

/** Faults of requests: slow, failing before or after the effect, rate-limited, stale. */
export class RequestFaults {
  readonly #settings: Settings
  readonly #chance: Chance
  readonly #reads = new Map<string, { readonly reply: Reply; readonly write: number }>()
  #writes = 0
  #lastWriteMs = Number.NEGATIVE_INFINITY

  constructor(settings: Settings, chance: Chance) {
    this.#settings = settings
    this.#chance = chance
  }

  async beforeWork(): Promise<void> {
    const { latencyMs, squeeze, squeezeVaguely, failBefore } = this.#settings.faults
    const wait = this.#chance.between(latencyMs.least, latencyMs.most)
    if (wait > 0) await sleep(wait)
    if (this.#chance.happens(squeeze)) throw secondaryLimit(1)
    if (this.#chance.happens(squeezeVaguely)) throw secondaryLimit()
    if (this.#chance.happens(failBefore)) throw badGateway()
  }

  /** Called after the handler: may fail the answer although the effect happened. */
  afterWork(): void {
    if (this.#chance.happens(this.#settings.faults.failAfter)) throw badGateway()
  }

  /** The answer from before the last write, if this read should be stale. */
  findStale(key: string): Reply | undefined {
    const { staleRead, staleForMs } = this.#settings.faults
    if (staleRead === 0 || performance.now() - this.#lastWriteMs > staleForMs) return undefined
    const seen = this.#reads.get(key)
    return seen !== undefined && seen.write < this.#writes && this.#chance.happens(staleRead)
      ? seen.reply
      : undefined
  }

  recordRead(key: string, reply: Reply): void {
    if (this.#settings.faults.staleRead === 0) return
    this.#reads.set(key, { reply, write: this.#writes })
    if (this.#reads.size > KEPT_READS) this.#reads.delete(this.#reads.keys().next().value ?? '')
  }

  recordWrite(): void {
    this.#writes += 1
    this.#lastWriteMs = performance.now()
  }
}

function badGateway(): ApiError {
  return new ApiError(502, 'Server Error')
}
