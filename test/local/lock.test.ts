import { once } from 'node:events'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { acquireLock } from '../../src/local/lock.ts'
import { findStartTime } from '../../src/process/process-identity.ts'
import { aFolder } from '../support/repository.ts'
import { aContender } from './lock-contender.ts'

function aMark(pid: number, startTime: string, host = hostname()): string {
  return `held-${[`${pid}`, startTime, host].map(encodeURIComponent).join(',')}`
}

const DEAD = aMark(4_000_000, 'long/ago')

async function take(path: string) {
  const lock = await acquireLock(path, 'demo')
  onTestFinished(() => lock.release())
  return lock
}

describe('the lock of a campaign', () => {
  it('a lock refuses a second holder and names the first', async () => {
    const path = join(aFolder(), 'loreley', 'demo.lock')
    const lock = await take(path)
    const second = acquireLock(path, 'demo')
    await expect(second).rejects.toMatchObject({ code: 'campaign-busy' })
    await expect(second).rejects.toThrow(
      `campaign demo is being run by process ${process.pid} on ${hostname()}`,
    )
    await lock.release()
    await (await take(path)).release()
    expect(readdirSync(path)).toEqual([])
  })

  it('a lock refuses what another process holds, and is free once that was killed', async () => {
    const path = join(aFolder(), 'demo.lock')
    const other = await aContender()
    expect(await other.ask(`take ${path}`)).toBe('held')
    await expect(acquireLock(path, 'demo')).rejects.toThrow(`process ${other.child.pid} `)
    other.child.kill('SIGKILL')
    await once(other.child, 'exit')
    await take(path)
    expect(readdirSync(path).every((name) => name.includes(`-${process.pid},`))).toBe(true)
  })

  it.each<[what: string, names: () => Promise<string[]>]>([
    ['a process that is no more', async () => [DEAD, DEAD.replace('held', 'claim')]],
    [
      'a process whose id another one has now',
      async () => [aMark(process.ppid, `${await findStartTime(process.ppid)}0`)],
    ],
    [
      'nobody: there is only rubbish',
      async () => ['', '{"pid":1}', 'held-', 'held-x,y,z', 'claim-1,%zz'].filter(Boolean),
    ],
  ])('a lock is taken over from %s', async (_, names) => {
    const path = aFolder()
    for (const name of await names()) writeFileSync(join(path, name), '')
    await take(path)
    expect(readdirSync(path).filter((name) => name.startsWith(`held-${process.pid},`))).toHaveLength(1)
    expect(readdirSync(path)).not.toContain(DEAD)
  })

  it("a lock is not taken from another machine's process, which cannot be seen from here", async () => {
    const path = aFolder()
    const mark = aMark(4_000_000, 'x', 'elsewhere')
    writeFileSync(join(path, mark), '')
    await expect(acquireLock(path, 'demo')).rejects.toThrow('on elsewhere')
    expect(readdirSync(path)).toEqual([mark])
  })

  it.each([2, 6])(
    'a stale lock goes to exactly one of %i processes that find it at the same time',
    async (count) => {
      const folder = aFolder()
      const contenders = await Promise.all(Array.from({ length: count }, () => aContender()))
      for (let round = 0; round < 30; round++) {
        const path = join(folder, `${round}.lock`)
        mkdirSync(path)
        writeFileSync(join(path, DEAD), '')
        const answers = await Promise.all(contenders.map(({ ask }) => ask(`take ${path}`)))
        expect(answers.filter((answer) => answer === 'held')).toHaveLength(1)
        expect(answers.filter((answer) => answer === 'campaign-busy')).toHaveLength(count - 1)
        await Promise.all(contenders.map(({ ask }) => ask('drop')))
      }
    },
  )
})
