import { spawn } from 'node:child_process'
import { afterAll, describe, expect, it } from 'vitest'
import { killOwned } from '../../src/process/kill.ts'
import { findMarkedProcesses } from '../../src/process/process-table.ts'
import { runGroup } from '../../src/process/run-group.ts'
import { aCommand, isAlive, readPids, useFolder } from './a-command.ts'

const onLinux = process.platform === 'linux'
// Another run of these tests may be under way on this machine.
const owner = `kill-test-ä-${process.pid}`

describe('a command that has ended', () => {
  const folder = useFolder()
  const inFolder = (line: string, changes = {}) => aCommand(line, { cwd: folder.path(), ...changes })

  it('timed out: leaves neither a child that ignores SIGTERM nor its grandchildren', async () => {
    const line = `
      trap '' TERM
      echo $$ > leader
      sh -c 'echo $$ > child; sleep 300 & echo $! > grandchild; while :; do sleep 1; done' &
      while :; do sleep 1; done`
    const outcome = await runGroup(inFolder(line, { timeoutMs: 500, killGraceMs: 200 }))
    expect(outcome.status).toBe('timed-out')
    expect(readPids(folder.path(), 'leader', 'child', 'grandchild').filter(isAlive)).toEqual([])
  })

  it('succeeded: leaves no daemon in its group, and does not wait for the pipe it holds', async () => {
    const outcome = await runGroup(inFolder('sleep 300 & echo $! > daemon; echo done'))
    expect(outcome).toMatchObject({ status: 'exited', exitCode: 0, stdout: 'done\n' })
    await expect.poll(() => readPids(folder.path(), 'daemon').filter(isAlive)).toEqual([])
  })

  it.runIf(onLinux)('leaves no process that left the group by setsid', async () => {
    const line = `
      setsid sh -c 'trap "" TERM; echo $$ > escaped; sleep 300 & echo $! > below; wait' < /dev/null &
      until [ -s below ]; do sleep 0.02; done`
    expect(await runGroup(inFolder(line))).toMatchObject({ status: 'exited', exitCode: 0 })
    expect(readPids(folder.path(), 'escaped', 'below').filter(isAlive)).toEqual([])
  })

  it.runIf(onLinux)('leaves no process that was just about to leave the group', async () => {
    for (let run = 0; run < 20; run++) {
      const outcome = await runGroup(inFolder('setsid sleep 300 & echo $! > escaping'))
      expect(outcome.status).toBe('exited')
      // A killed process has no memory any more, but on a busy machine it is not a zombie at once.
      await expect.poll(() => readPids(folder.path(), 'escaping').filter(isAlive)).toEqual([])
    }
  })

  it('ends although a process that cannot be found holds its pipe', async () => {
    const line = `
      env -i /bin/sh -c 'echo $$ > hidden; exec setsid sleep 5' &
      until [ -s hidden ] ; do sleep 0.02; done
      sleep 0.2
      echo done`
    const outcome = await runGroup(inFolder(line))
    expect(outcome).toMatchObject({ status: 'exited', exitCode: 0, stdout: 'done\n' })
    for (const pid of readPids(folder.path(), 'hidden').filter(isAlive)) process.kill(pid, 'SIGKILL')
  })
})

describe.runIf(onLinux)('killOwned', () => {
  afterAll(async () => {
    for (const end of ['', '-other', '-host', '-self']) await killOwned(owner + end)
  })

  const startSleeper = (name: string) => {
    const child = spawn('sleep', ['300'], { detached: true, stdio: 'ignore', env: { LORELEY_OWNER: name } })
    return child.pid ?? 0
  }

  it('kills the processes of that owner and no others, and counts them', async () => {
    const ours = [startSleeper(owner), startSleeper(owner)]
    const theirs = startSleeper(`${owner}-other`)
    await expect.poll(() => [...ours, theirs].every(isAlive)).toBe(true)
    expect(await killOwned(owner)).toBe(2)
    expect(ours.filter(isAlive)).toEqual([])
    expect(isAlive(theirs)).toBe(true)
    expect(await killOwned(`${owner}-other`)).toBe(1)
    expect(await killOwned(owner)).toBe(0)
  })

  it('kills what a host left behind that was killed itself', async () => {
    const source = new URL('../../src/process/run-group.ts', import.meta.url).href
    const host = `
      import { runGroup } from '${source}'
      const env = { PATH: '/usr/bin:/bin' }
      await runGroup({ argv: ['sh', '-c', 'setsid sleep 300 & sleep 300'], cwd: '/', env, timeoutMs: 1e6, maxOutputBytes: 10, owner: '${owner}-host' })`
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', host], {
      stdio: 'inherit',
    })
    await expect.poll(() => countOwned(`${owner}-host`), { timeout: 20_000 }).toBe(3)
    child.kill('SIGKILL')
    expect(await killOwned(`${owner}-host`)).toBe(3)
    expect(countOwned(`${owner}-host`)).toBe(0)
  })

  it('spares the process that calls it, and those above it', async () => {
    const source = new URL('../../src/process/kill.ts', import.meta.url).href
    const script = `import { killOwned } from '${source}'; console.log(await killOwned('${owner}-self'))`
    const outcome = await runGroup(
      aCommand('', {
        argv: [
          'sh',
          '-c',
          '"$0" --import tsx --input-type=module -e "$1"; echo parent',
          process.execPath,
          script,
        ],
        cwd: process.cwd(),
        owner: `${owner}-self`,
      }),
    )
    // The number is not 0 where tsx has started a process: that one is fair game.
    expect(outcome).toMatchObject({ status: 'exited', exitCode: 0 })
    expect(outcome.stdout).toMatch(/^\d+\nparent\n$/)
  })
})

function countOwned(name: string): number {
  return findMarkedProcesses(`LORELEY_OWNER=${name}`).pids.length
}
