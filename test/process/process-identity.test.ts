import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it, onTestFinished } from 'vitest'
import { findStartTime } from '../../src/process/process-identity.ts'
import { parseProcessStat } from '../../src/process/process-table.ts'
import { isAlive } from './a-command.ts'

const hasPs = spawnSync('ps', ['-o', 'lstart=', '-p', String(process.pid)]).status === 0
const platforms = [
  ...(process.platform === 'linux' ? ['linux' as const] : []),
  ...(hasPs ? ['darwin' as const] : []),
]

describe.each(platforms)('findStartTime as on %s', (platform) => {
  it('gives the same answer for a process as long as it lives, and none when it has gone', async () => {
    const child = spawn('sleep', ['300'])
    onTestFinished(() => void child.kill('SIGKILL'))
    await once(child, 'spawn')
    const pid = child.pid ?? 0
    const first = await findStartTime(pid, platform)
    expect(first).toMatch(/\d/)
    expect(await findStartTime(pid, platform)).toBe(first)
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(await findStartTime(pid, platform)).toBeUndefined()
  })

  it('counts a zombie as gone', async () => {
    // The second shell knows nothing of the child it inherited, and never waits for it.
    const parent = spawn('sh', ['-c', 'sleep 300 & echo $!; exec sh -c "echo ready; exec sleep 300"'])
    onTestFinished(() => void parent.kill('SIGKILL'))
    let said = ''
    parent.stdout.on('data', (chunk) => {
      said += chunk
    })
    await expect.poll(() => said).toMatch(/^\d+\nready\n$/)
    const zombie = Number.parseInt(said, 10)
    process.kill(zombie, 'SIGKILL')
    await expect.poll(() => isAlive(zombie)).toBe(false)
    expect(() => process.kill(zombie, 0)).not.toThrow()
    expect(await findStartTime(zombie, platform)).toBeUndefined()
  })

  it.each([0, -1, 1.5, Number.NaN, 2 ** 40])('finds no process with the id %d', async (pid) => {
    expect(await findStartTime(pid, platform)).toBeUndefined()
  })
})

it.runIf(process.platform === 'linux')('tells processes of the same second apart on Linux', async () => {
  const child = spawn('sleep', ['300'])
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child, 'spawn')
  expect(await findStartTime(child.pid ?? 0)).not.toBe(await findStartTime(process.pid))
})

describe('parseProcessStat', () => {
  const rest = '1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 98765 20 21'

  it.each(['sleep', 'a b', ') R 1 (', '((', '))', ''])(
    'reads the fields after the command name "%s"',
    (name) => {
      expect(parseProcessStat(`42 (${name}) S ${rest}`)).toEqual({
        state: 'S',
        parentPid: 1,
        startTicks: '98765',
      })
    },
  )

  it('finds nothing in an empty or short line', () => {
    expect(parseProcessStat('')).toBeUndefined()
    expect(parseProcessStat('42 (sh) S 1 2')).toBeUndefined()
  })
})
