import { describe, expect, it } from 'vitest'
import type { Lease } from '../../src/app/coordination/coordination.ts'
import { createRedisBudget } from '../../src/app/coordination/redis-budget.ts'
import { RedisCoordination } from '../../src/app/coordination/redis-coordination.ts'
import { RedisLink } from '../../src/app/coordination/redis-link.ts'
import { SYSTEM_CLOCK } from '../../src/github/api/clock.ts'
import { GITHUB_PACE } from '../../src/github/api/pace-settings.ts'
import { aRedis, type TestRedis } from './gateway.ts'

const REPOSITORY = 7

interface Process {
  readonly coordination: RedisCoordination
  readonly link: RedisLink
  readonly failures: string[]
}

/** What one process of the app has; a silent one gives no more signs of life. */
function aProcess(
  { url, token }: Pick<TestRedis, 'url' | 'token'>,
  { leaseMs = 30_000, isSilent = false } = {},
) {
  const failures: string[] = []
  const clock = isSilent ? { ...SYSTEM_CLOCK, after: () => () => undefined } : SYSTEM_CLOCK
  const link = new RedisLink({ url, token, clock, onFailure: (what) => failures.push(what) })
  const coordination = new RedisCoordination({ link, clock, pace: GITHUB_PACE, leaseMs })
  return { coordination, link, failures } satisfies Process
}

/** Takes the lock and keeps it until `release` is called. */
async function hold({ coordination }: Process): Promise<{ lease: Lease; release(): Promise<void> }> {
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const { lease, done } = await new Promise<{ lease: Lease; done: Promise<void> }>((resolve) => {
    const done: Promise<void> = coordination.withLock(REPOSITORY, async (lease) => {
      resolve({ lease, done })
      await released
    })
  })
  return {
    lease,
    release: async () => {
      release()
      await done
    },
  }
}

const isUnbroken = async ({ coordination }: Process): Promise<boolean> =>
  await coordination.withLock(REPOSITORY, async (lease) => lease.isUnbroken)

describe('a delivery', () => {
  it('only one process claims a delivery', async () => {
    const redis = await aRedis()
    const all = [aProcess(redis), aProcess(redis), aProcess(redis)]
    const claims = await Promise.all(all.map(({ coordination }) => coordination.claim('delivery 1')))
    expect(claims.filter((claimed) => claimed)).toHaveLength(1)
    expect(await all[0]?.coordination.claim('delivery 2')).toBe(true)
    await all[0]?.coordination.release('delivery 2')
    expect(await all[1]?.coordination.claim('delivery 2')).toBe(true)
  })
})

describe('the lock of a repository', () => {
  it('lets one process work at a time', async () => {
    const redis = await aRedis()
    const order: string[] = []
    const work = ({ coordination }: Process, name: string) =>
      coordination.withLock(REPOSITORY, async () => {
        order.push(`${name} begins`)
        await SYSTEM_CLOCK.sleep(50)
        order.push(`${name} ends`)
      })
    await Promise.all([work(aProcess(redis), 'a'), work(aProcess(redis), 'b'), work(aProcess(redis), 'c')])
    const names = order.map((line) => line.split(' ')[0])
    expect(names[0]).toBe(names[1])
    expect(names[2]).toBe(names[3])
    expect(names[4]).toBe(names[5])
  })

  it('stays with a holder whose work takes longer than a lease', async () => {
    const redis = await aRedis()
    const [holder, other] = [aProcess(redis, { leaseMs: 600 }), aProcess(redis, { leaseMs: 600 })]
    const { lease, release } = await hold(holder)
    let hasOther = false
    const waiting = other.coordination.withLock(REPOSITORY, async () => {
      hasOther = true
    })
    await SYSTEM_CLOCK.sleep(1500)
    expect(hasOther).toBe(false)
    expect(await lease.isHeld()).toBe(true)
    await release()
    await waiting
  })

  it('passes on when its holder died, and a holder that only seemed dead is fenced off', async () => {
    const redis = await aRedis()
    const dead = await hold(aProcess(redis, { leaseMs: 300, isSilent: true }))
    const next = await hold(aProcess(redis))
    expect(await dead.lease.isHeld()).toBe(false)
    expect(await next.lease.isHeld()).toBe(true)
    await dead.release()
    expect(await redis.command('EXISTS', `loreley:{${REPOSITORY}}:lock`), "the other's lock stands").toBe(1)
    await next.release()
  })

  it('tells a process whether somebody else worked since it did', async () => {
    const redis = await aRedis()
    const [one, other] = [aProcess(redis), aProcess(redis)]
    expect(await isUnbroken(one)).toBe(true)
    expect(await isUnbroken(one)).toBe(true)
    expect(await isUnbroken(other), 'it remembers nothing yet').toBe(true)
    expect(await isUnbroken(one)).toBe(false)
    expect(await isUnbroken(one)).toBe(true)
  })
})

describe('the budget of an installation', () => {
  const pace = { ...GITHUB_PACE, writesPerMinute: 5 }

  it('all processes share one budget', async () => {
    const redis = await aRedis()
    const budgets = [aProcess(redis), aProcess(redis)].map(({ link }) => createRedisBudget(link, pace, 1))
    const waits = await Promise.all(budgets.flatMap((budget) => [1, 2, 3, 4].map(() => budget.reserve())))
    expect(waits.filter((wait) => wait === 0)).toHaveLength(5)
    expect(Math.max(...waits)).toBeLessThanOrEqual(60_001)
    const [, another] = [aProcess(redis), aProcess(redis)]
    expect(await createRedisBudget(another.link, pace, 2).reserve(), 'each has its own').toBe(0)
  })

  it('counts the hour too', async () => {
    const redis = await aRedis()
    const budget = createRedisBudget(aProcess(redis).link, { ...GITHUB_PACE, writesPerHour: 2 }, 1)
    const waits = [await budget.reserve(), await budget.reserve(), await budget.reserve()]
    expect(waits.slice(0, 2)).toEqual([0, 0])
    expect(waits[2]).toBeGreaterThan(60_000)
  })

  it('all processes wait when GitHub asks one to wait', async () => {
    const redis = await aRedis()
    const [one, other] = [aProcess(redis), aProcess(redis)].map(({ link }) =>
      createRedisBudget(link, pace, 1),
    )
    await one?.hold(30_000)
    expect(await other?.reserve()).toBeGreaterThan(0)
  })
})

describe('without an answer from Redis', () => {
  it('every process goes on alone, and says so once in a while', async () => {
    const redis = await aRedis()
    const one = aProcess(redis)
    expect(await one.coordination.claim('delivery 1')).toBe(true)
    await redis.kill()
    expect(await one.coordination.claim('delivery 2')).toBe(true)
    expect(await one.coordination.claim('delivery 2'), 'it still knows its own').toBe(false)
    expect(await one.coordination.withLock(REPOSITORY, async (lease) => lease.isHeld())).toBe(true)
    expect(await one.coordination.budgetOf(1).reserve()).toBe(0)
    expect(one.failures).toEqual(['claim'])
  })

  it('a wrong token is told, and stops nothing', async () => {
    const { url } = await aRedis()
    const one = aProcess({ url, token: 'wrong' })
    expect(await one.coordination.withLock(REPOSITORY, async () => 'done')).toBe('done')
    expect(one.failures).toEqual(['lock'])
  })
})
