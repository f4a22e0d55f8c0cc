import { describe, expect, it } from 'vitest'
import { GITHUB_PACE, NO_PACE } from '../../src/github/api/pace-settings.ts'
import { Pacer, type Priority } from '../../src/github/api/pacer.ts'
import { aQuickClock } from './support.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** When each of so many requests went, all asked for at once. */
async function timesOf(pacer: Pacer, clock: { now(): number }, count: number, writes: boolean) {
  const times: number[] = []
  const turn = { priority: 'state', writes } as const
  await Promise.all(Array.from({ length: count }, () => pacer.run(turn, async () => times.push(clock.now()))))
  return times
}

describe('the pacer', () => {
  it('lets a burst of writes go at once, then 60 a minute, and never more than 450 in an hour', async () => {
    const clock = aQuickClock(0)
    const times = await timesOf(new Pacer(GITHUB_PACE, clock), clock, 1000, true)
    expect(times.filter((at) => at === 0)).toHaveLength(10)
    expect(times.filter((at) => at < MINUTE).length).toBeLessThanOrEqual(70)
    const within = (from: number) => times.filter((at) => at >= from && at < from + HOUR).length
    expect(Math.max(...times.map(within))).toBe(450)
  })

  it('lets reads pass writes that wait', async () => {
    const clock = aQuickClock(0)
    const pacer = new Pacer({ ...GITHUB_PACE, burst: 1 }, clock)
    const order: string[] = []
    await Promise.all(
      (['first', 'second', 'read'] as const).map((name) =>
        pacer.run({ priority: 'report', writes: name !== 'read' }, async () => order.push(name)),
      ),
    )
    expect(order).toEqual(['first', 'read', 'second'])
  })

  it('lets commands go first, then dispatches, state and reports, each in order', async () => {
    const clock = aQuickClock(0)
    const pacer = new Pacer({ ...GITHUB_PACE, burst: 1 }, clock)
    const order: string[] = []
    const ask = (priority: Priority, name: string) =>
      pacer.run({ priority, writes: true }, async () => order.push(name))
    await Promise.all([
      ask('report', 'at once'),
      ask('report', 'r'),
      ask('state', 's1'),
      ask('state', 's2'),
      ask('dispatch', 'd'),
      ask('command', 'c'),
    ])
    expect(order).toEqual(['at once', 'c', 'd', 's1', 's2', 'r'])
  })

  it('lets nothing go while it is held, and no more at a time than allowed', async () => {
    const clock = aQuickClock(0)
    const pacer = new Pacer({ ...NO_PACE, concurrent: 3 }, clock)
    await pacer.hold(5 * MINUTE)
    let running = 0
    let most = 0
    const times: number[] = []
    const work = async () => {
      running += 1
      most = Math.max(most, running)
      times.push(clock.now())
      await clock.sleep(1)
      running -= 1
    }
    await Promise.all(Array.from({ length: 9 }, () => pacer.run({ priority: 'state', writes: false }, work)))
    expect(most).toBe(3)
    expect(Math.min(...times)).toBe(5 * MINUTE)
  })

  it('waits for writes that other processes have taken, and tells them of a hold', async () => {
    const clock = aQuickClock(0)
    const waits = [2 * MINUTE, MINUTE, 0]
    const holds: number[] = []
    const shared = {
      reserve: async () => waits.shift() ?? 0,
      hold: async (ms: number) => void holds.push(ms),
    }
    const pacer = new Pacer(NO_PACE, clock, shared)
    expect(await pacer.run({ priority: 'state', writes: false }, async () => clock.now())).toBe(0)
    expect(await pacer.run({ priority: 'state', writes: true }, async () => clock.now())).toBe(3 * MINUTE)
    await pacer.hold(clock.now() + 7)
    expect(holds).toEqual([7])
  })

  it('gives a report back that would wait for the hour, and lets a command wait', async () => {
    const clock = aQuickClock(0)
    const pacer = new Pacer({ ...GITHUB_PACE, burst: 450, writesPerHour: 450 }, clock)
    await timesOf(pacer, clock, 450, true)
    const report = pacer.run({ priority: 'report', writes: true }, async () => 'written')
    await expect(report).rejects.toMatchObject({ code: 'github-unavailable' })
    expect(clock.now()).toBe(0)
    expect(await pacer.run({ priority: 'command', writes: true }, async () => clock.now())).toBe(HOUR)
    expect(await pacer.run({ priority: 'report', writes: true }, async () => 'written')).toBe('written')
  })

  it('goes on after work that failed', async () => {
    const pacer = new Pacer({ ...NO_PACE, concurrent: 1 }, aQuickClock(0))
    const turn = { priority: 'state', writes: true } as const
    const failing = pacer.run(turn, async () => {
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await pacer.run(turn, async () => 'yes')).toBe('yes')
  })
})
