import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { GroupOutcome } from '../../src/process/run-group.ts'
import { useFolder } from './a-command.ts'
import { bundleProgram, runProgram } from './bundled-program.ts'
import { type DiskTrial, runDiskTrial } from './disk-trial.ts'
import { hasNamespaces, isRoot } from './enclosed-run.ts'

/** Writes so many megabytes that are really there. */
const fill = (file: string, megabytes: number): string =>
  `dd if=/dev/zero of=${file} bs=1M count=${megabytes} 2> dd.log`
const WAIT = 'sleep 600'

let program = ''
beforeAll(async () => {
  program = await bundleProgram("import { runDiskTrial } from './disk-trial.ts'", 'runDiskTrial')
})

/**
 * Runs lines on a file system of their own, where we may make one, which nobody else sees: neighbours of the test take
 * and give room too, and they would stumble over a mount of ours.
 */
async function runWith(
  place: string,
  lines: readonly string[],
  { size = 'size=200m', ...trial }: Omit<DiskTrial, 'place' | 'lines'> & { readonly size?: string } = {},
): Promise<GroupOutcome[]> {
  chmodSync(place, 0o755)
  if (!hasNamespaces) return await runDiskTrial({ place, lines, ...trial })
  const disk = join(place, 'disk')
  mkdirSync(disk)
  const mount = 'mount -n -t tmpfs -o "mode=755,$1" loreley "$2"; shift 2; exec "$@"'
  const through = ['unshare', '--mount', '/bin/sh', '-c', mount, 'sh', size, disk]
  return await runProgram(program, { place: disk, lines, ...trial }, { through })
}

const LIMIT = {
  status: 'disk-limit',
  detail: expect.stringMatching(/^it took \d+ MB of disk in \d+ files; 20 MB is the limit$/),
}

describe('a command with a disk allowance', () => {
  const place = useFolder()

  it.each([
    ['one large file', `${fill('large', 30)}; ${WAIT}`],
    ['many small ones', `mkdir many; head -c 30000000 /dev/zero | split -b 4096 -a 4 - many/; ${WAIT}`],
    ['a file that it unlinked and keeps open', `exec 3<> gone; rm gone; ${fill('/dev/fd/3', 30)}; ${WAIT}`],
    [
      'a file that only a process of its own session holds',
      `setsid sh -c 'exec 3<> gone; rm gone; ${fill('/dev/fd/3', 30)}; ${WAIT}' & ${WAIT}`,
    ],
  ])('ends a command that takes too much in %s', async (_what, line) => {
    expect(await runWith(place.path(), [line])).toMatchObject([LIMIT])
  })

  it.runIf(hasNamespaces).each([
    ['one file', `${fill('large', 30)}; ${WAIT}`],
    ['a file that it unlinked', `exec 3<> gone; rm gone; ${fill('/dev/fd/3', 30)}; ${WAIT}`],
    ['a folder that it closed', `mkdir closed; ${fill('closed/large', 30)}; chmod 0 closed; ${WAIT}`],
  ])('ends a command in namespaces too, with %s', async (_what, line) => {
    expect(await runWith(place.path(), [line], { level: 'namespace' })).toMatchObject([LIMIT])
  })

  it.runIf(isRoot)('ends a command of a separate user too', async () => {
    expect(await runWith(place.path(), [`${fill('large', 30)}; ${WAIT}`], { level: 'user' })).toMatchObject([
      LIMIT,
    ])
  })

  it('shares it with those before it in the same folder', async () => {
    const outcomes = await runWith(place.path(), [fill('one', 12), `${fill('two', 12)}; ${WAIT}`])
    expect(outcomes).toMatchObject([{ status: 'exited', exitCode: 0 }, LIMIT])
  })

  it('does not blame a command for what a neighbour takes', async () => {
    // Outside of the folder, and the command only ends when all of that has been written.
    const neighbour = `${fill('../neighbour', 30)}; sleep 2; echo well`
    expect(await runWith(place.path(), [neighbour])).toMatchObject([{ status: 'exited', stdout: 'well\n' }])
  })

  it('does not blame a command for its copied files, even when a neighbour takes much', async () => {
    const neighbour = `${fill('../neighbour', 30)}; sleep 2; echo well`
    const outcomes = await runWith(place.path(), [neighbour], { copiedMegabytes: 30 })
    expect(outcomes).toMatchObject([{ status: 'exited', stdout: 'well\n' }])
  })

  it('finds the command even when somebody else frees as much disk', async () => {
    const room = `mkdir ../others; for i in $(seq 30); do ${fill('../others/$i', 1)}; done`
    const swap = `for i in $(seq 30); do ${fill('own$i', 1)}; rm ../others/$i; done; ${WAIT}`
    const outcomes = await runWith(place.path(), [room, swap], { measureEveryMs: 1000 })
    expect(outcomes).toMatchObject([{ status: 'exited' }, LIMIT])
  })

  it('leaves a command alone below its limit', async () => {
    const outcomes = await runWith(place.path(), [`${fill('large', 10)}; sleep 1; cat large | wc -c`])
    expect(outcomes).toMatchObject([{ status: 'exited', stdout: `${10 * 1024 ** 2}\n` }])
  })
})

describe.runIf(hasNamespaces)('a command on a disk that runs low', () => {
  const place = useFolder()

  // Half of it is left to others.
  const runOnSmallDisk = (line: string): Promise<GroupOutcome[]> =>
    runWith(place.path(), [line], { maxMegabytes: 1000, size: 'size=40m,nr_inodes=2000' })

  it.each([
    ['files of its own', `${fill('large', 30)}; ${WAIT}`, /^it took 30 MB of disk in \d+ files; 10 MB/],
    [
      'a file that is gone with it',
      `exec 3<> gone; rm gone; ${fill('/dev/fd/3', 30)}; ${WAIT}`,
      /^it took 30 MB of disk in \d+ files; 10 MB/,
    ],
    [
      'a thousand files with nothing in them',
      `mkdir many; cd many; seq 1500 | xargs touch; ${WAIT}`,
      /^it took 0 MB of disk in 150\d files; 40 MB/,
    ],
  ])('blames the command that took most of a full disk, with %s', async (_what, line, detail) => {
    expect(await runOnSmallDisk(line)).toMatchObject([
      { status: 'disk-limit', detail: expect.stringMatching(detail) },
    ])
  })

  it.each([
    ['megabytes', `${fill('../neighbour', 30)}; ${WAIT}`],
    ['files', `mkdir ../neighbour; cd ../neighbour; seq 1500 | xargs touch; ${WAIT}`],
  ])('ends a command without blame when a neighbour took the %s', async (_what, line) => {
    expect(await runOnSmallDisk(line)).toMatchObject([{ status: 'disk-low' }])
  })
})
