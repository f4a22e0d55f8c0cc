import * as z from 'zod'
import type { Clock } from '../../github/api/clock.ts'
import type { PaceSettings } from '../../github/api/pace-settings.ts'
import type { SharedBudget } from '../../github/api/pacer.ts'
import { type Coordination, type Lease, OwnCoordination } from './coordination.ts'
import { createRedisBudget } from './redis-budget.ts'
import type { RedisLink } from './redis-link.ts'

export interface RedisCoordinationOptions {
  readonly link: RedisLink
  readonly clock: Clock
  readonly pace: PaceSettings
  /** How long a lock outlives a silent holder. */
  readonly leaseMs?: number
}

const LEASE_MS = 30_000
const CLAIM_SECONDS = 86_400
const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 2000

// KEYS: the lock, and the number of its last holder.
const SCRIPTS = {
  // A new holder gets the next number. Taking the lock and the fencing number is one atomic step.
  lock: `
    if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
    local token = redis.call('INCR', KEYS[2])
    redis.call('SET', KEYS[1], token, 'PX', ARGV[1])
    return token`,
  renew: `
    if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
    return redis.call('PEXPIRE', KEYS[1], ARGV[2])`,
  release: `
    if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
    return redis.call('DEL', KEYS[1])`,
  // A lock that expired unnoticed still counts as held until somebody else takes it.
  fence: `
    if redis.call('GET', KEYS[2]) == ARGV[1] then return 1 end
    return 0`,
} as const

const number = z.coerce.number()

/** Coordination through Redis. When Redis does not answer, the process decides alone. */
export class RedisCoordination implements Coordination {
  readonly #options: RedisCoordinationOptions
  readonly #own = new OwnCoordination()
  /** This process's last fencing number, by repository. */
  readonly #tokens = new Map<number, number>()

  constructor(options: RedisCoordinationOptions) {
    this.#options = options
  }

  async claim(key: string): Promise<boolean> {
    // Check memory first: keys that this process took while Redis was away stay taken.
    if (!(await this.#own.claim(key))) return false
    const answer = await this.#options.link.ask('claim', async (redis) => ({
      set: await redis.set(`loreley:claim:${key}`, '1', { nx: true, ex: CLAIM_SECONDS }),
    }))
    return answer === undefined || answer.set !== null
  }

  async release(key: string): Promise<void> {
    await this.#own.release(key)
    await this.#options.link.ask('unclaim', (redis) => redis.del(`loreley:claim:${key}`))
  }

  async withLock<T>(repository: number, work: (lease: Lease) => Promise<T>): Promise<T> {
    const token = await this.#acquire(repository)
    if (token === undefined) return await work(this.#loneLease(repository))
    const stop = this.#keepAlive(repository, token)
    try {
      return await work(this.#leaseOf(repository, token))
    } finally {
      stop()
      await this.#run('release', repository, [token])
    }
  }

  budgetOf(installation: number): SharedBudget {
    return createRedisBudget(this.#options.link, this.#options.pace, installation)
  }

  /** The holder's number; undefined if Redis does not answer. */
  async #acquire(repository: number): Promise<number | undefined> {
    const { clock, leaseMs = LEASE_MS } = this.#options
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
      const token = await this.#run('lock', repository, [leaseMs])
      if (token !== 0) return token
      await clock.sleep(waitMs * (0.5 + clock.jitter()))
    }
  }

  // Renew the lock regularly, so that long work does not look like a dead process.
  #keepAlive(repository: number, token: number): () => void {
    const { clock, leaseMs = LEASE_MS } = this.#options
    let callOff = (): void => undefined
    const wait = (): void => {
      callOff = clock.after(leaseMs / 3, () => {
        void this.#run('renew', repository, [token, leaseMs])
        wait()
      })
    }
    wait()
    return () => callOff()
  }

  #leaseOf(repository: number, token: number): Lease {
    const before = this.#tokens.get(repository)
    this.#tokens.set(repository, token)
    return {
      isUnbroken: before === undefined || token === before + 1,
      isHeld: async () => (await this.#run('fence', repository, [token])) !== 0,
    }
  }

  // Others may work meanwhile, so the next lease counts as broken.
  #loneLease(repository: number): Lease {
    this.#tokens.set(repository, Number.NaN)
    return { isUnbroken: true, isHeld: async () => true }
  }

  async #run(
    what: keyof typeof SCRIPTS,
    repository: number,
    values: (string | number)[],
  ): Promise<number | undefined> {
    const key = `loreley:{${repository}}`
    const answer = await this.#options.link.ask(what, (redis) =>
      redis.eval(SCRIPTS[what], [`${key}:lock`, `${key}:fence`], values),
    )
    return answer === undefined ? undefined : number.parse(answer)
  }
}
