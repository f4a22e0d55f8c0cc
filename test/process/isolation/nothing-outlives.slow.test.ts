import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { IsolatedLevel } from '../../../src/process/isolation/isolation.ts'
import { aFolder } from '../../support/repository.ts'
import { bundleProgram, runProgram } from '../bundled-program.ts'
import { hasNamespaces, hasUserNamespaces, isRoot, type runEnclosed, type Trial } from '../enclosed-run.ts'

const OTHER = 65_534
const OWN = isRoot ? 65_533 : (process.getuid?.() ?? 0)

/** How a line runs: enclosed at a level, or as the same user with nothing around it. */
interface Way {
  readonly name: string
  readonly level: IsolatedLevel
  /** Who the host is. */
  readonly host: number
  /** Who the line is. */
  readonly user: number
}

const WAYS: readonly Way[] = [
  ...(hasNamespaces
    ? [{ name: 'as another user in namespaces', level: 'namespace' as const, host: 0, user: OTHER }]
    : []),
  ...(hasUserNamespaces
    ? [{ name: 'as our own user in namespaces', level: 'namespace' as const, host: OWN, user: OWN }]
    : []),
  ...(isRoot
    ? [{ name: 'as another user without namespaces', level: 'user' as const, host: 0, user: OTHER }]
    : []),
]

let program = ''
beforeAll(async () => {
  program = await bundleProgram(
    "import { runEnclosed } from './enclosed-run.ts'",
    'async (trial) => await runEnclosed(trial)',
  )
})

async function enclosed({ level, host }: Way, line: string, more: Partial<Trial> = {}): Promise<string> {
  const place = aFolder()
  chmodSync(place, 0o755)
  if (isRoot) chownSync(place, host, host)
  const trial = { place, line, changes: { levels: [level] }, ...more }
  const { outcome }: Awaited<ReturnType<typeof runEnclosed>> = await runProgram(
    program,
    trial,
    isRoot ? { uid: host } : {},
  )
  return outcome.stdout + outcome.stderr
}

/** The same without anything around it. */
function bare(user: number, line: string): string {
  const who = isRoot ? { uid: user, gid: user } : {}
  const { stdout, stderr } = spawnSync('/bin/sh', ['-c', line], { cwd: '/', encoding: 'utf8', ...who })
  return stdout + stderr
}

const perl = (script: string) => `perl -e '${script.replaceAll("'", `'\\''`)}'`

/** Says "seen before" if an earlier run left something, and leaves it. */
const KEPT = {
  'the user keyring': perl(
    `my ($t, $n, $v) = ("user", "loreley-test", "x"); print "seen before\\n" if syscall(250, 10, -4, $t, $n, 0) >= 0; syscall(248, $t, $n, $v, 1, -4)`,
  ),
  'System V shared memory': perl(
    `print "seen before\\n" if defined shmget(424242, 64, 0); shmget(424242, 64, 0600 | 01000)`,
  ),
  'System V semaphores': perl(
    `print "seen before\\n" if defined semget(424243, 1, 0); semget(424243, 1, 0600 | 01000)`,
  ),
  'System V messages': perl(
    `print "seen before\\n" if defined msgget(424244, 0); msgget(424244, 0600 | 01000)`,
  ),
  'a POSIX message queue': perl(
    `my $n = "loreley-test"; print "seen before\\n" if syscall(240, $n, 0, 0, 0) >= 0; syscall(240, $n, 0102, 0600, 0)`,
  ),
} as const

/** Removes it again, for the sake of the machine. */
const CLEARED = {
  'the user keyring': perl(
    `my ($t, $n) = ("user", "loreley-test"); my $k = syscall(250, 10, -4, $t, $n, 0); syscall(250, 9, $k, -4) if $k >= 0`,
  ),
  'System V shared memory': perl('my $i = shmget(424242, 64, 0); shmctl($i, 0, 0) if defined $i'),
  'System V semaphores': perl('my $i = semget(424243, 1, 0); semctl($i, 0, 0, 0) if defined $i'),
  'System V messages': perl('my $i = msgget(424244, 0); msgctl($i, 0, 0) if defined $i'),
  'a POSIX message queue': perl('my $n = "loreley-test"; syscall(241, $n)'),
} as const

const names = Object.keys(KEPT).filter((name): name is keyof typeof KEPT => name in KEPT)

describe.runIf(process.arch === 'x64').each(WAYS)('what a run leaves, $name,', (way) => {
  it.each(names)('nothing in %s reaches the next run, and without isolation it would', async (name) => {
    onTestFinished(() => void bare(way.user, CLEARED[name]))
    bare(way.user, KEPT[name])
    expect(bare(way.user, KEPT[name])).toContain('seen before')
    expect(await enclosed(way, KEPT[name])).not.toContain('seen before')
    expect(await enclosed(way, KEPT[name])).not.toContain('seen before')
  })

  it('no daemon outlives it that left its session and cleared its environment', async () => {
    const daemon = (file: string) =>
      `setsid env -i /bin/sh -c "while :; do date +%s%N > ${file}; sleep 0.05; done" >/dev/null 2>&1 & until [ -s ${file} ]; do sleep 0.01; done; echo $!`
    const folder = aFolder()
    chmodSync(folder, 0o777)
    const beat = join(folder, 'beat')
    const pid = Number(bare(way.user, daemon(beat)))
    onTestFinished(() => void spawnSync('sh', ['-c', `kill -9 ${pid}`]))
    await vi.waitFor(() => expect(isBeating(beat)).resolves.toBe(true))
    const place = aFolder()
    chmodSync(place, 0o755)
    if (isRoot) chownSync(place, way.host, way.host)
    expect(await enclosed(way, daemon('beat'), { place })).toMatch(/\d/)
    expect(await isBeating(join(place, 'own/beat'))).toBe(false)
  })

  it('no daemon outlives a run that ran into its time limit', async () => {
    const place = aFolder()
    chmodSync(place, 0o755)
    if (isRoot) chownSync(place, way.host, way.host)
    // Many: what ends them must not be ended before the last of them.
    const line = `for n in $(seq 60); do setsid env -i /bin/sh -c "while :; do date +%s%N > beat-$n; sleep 0.05; done" >/dev/null 2>&1 & done; trap "" TERM; sleep 600`
    await enclosed(way, line, { place, timeoutMs: 3000 })
    const beats = readdirSync(join(place, 'own')).filter((name) => name.startsWith('beat-'))
    expect(beats.length).toBeGreaterThan(0)
    const alive = await Promise.all(beats.map((name) => isBeating(join(place, 'own', name))))
    expect(alive.filter(Boolean)).toEqual([])
  })

  it('nothing of it is left when its host is killed', async () => {
    const place = aFolder()
    chmodSync(place, 0o755)
    if (isRoot) chownSync(place, way.host, way.host)
    const line =
      'setsid env -i /bin/sh -c "while :; do date +%s%N > beat; sleep 0.05; done" >/dev/null 2>&1 & sleep 600'
    const trial = { place, line, changes: { levels: [way.level] }, timeoutMs: 600_000 }
    const host = spawn(process.execPath, ['--input-type=module', '-e', program], {
      cwd: '/',
      stdio: ['pipe', 'ignore', 'ignore'],
      ...(isRoot ? { uid: way.host, gid: way.host } : {}),
    })
    host.stdin.end(JSON.stringify(trial))
    const beat = join(place, 'own/beat')
    await vi.waitFor(() => expect(existsSync(beat)).toBe(true), { timeout: 20_000 })
    host.kill('SIGKILL')
    await vi.waitFor(async () => expect(await isBeating(beat)).toBe(false), { timeout: 20_000 })
  })
})

/** Whether a daemon still writes its file. */
async function isBeating(file: string): Promise<boolean> {
  const before = readFileSync(file, 'utf8')
  await new Promise((resolve) => setTimeout(resolve, 300))
  return readFileSync(file, 'utf8') !== before
}

describe.runIf(hasNamespaces)('places of the machine, in namespaces,', () => {
  const spaces = WAYS.filter(({ level }) => level === 'namespace')

  it('a spool that everybody may write, as for cron and at, takes no job', async () => {
    const spool = `/var/spool/loreley-test-${process.pid}`
    mkdirSync(spool)
    chmodSync(spool, 0o1777)
    onTestFinished(() => rmSync(spool, { recursive: true, force: true }))
    const line = `: > ${spool}/job && echo planted; rm -f ${spool}/job`
    expect(bare(OTHER, line)).toContain('planted')
    for (const way of spaces) expect(await enclosed(way, line)).toMatch(/Read-only file system/)
  })

  it('a socket or file in /run that everybody may use is out of reach', async () => {
    const folder = `/run/loreley-test-${process.pid}`
    mkdirSync(folder, { mode: 0o755 })
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    writeFileSync(join(folder, 'file'), 'in sight')
    const line = `cat ${folder}/file`
    expect(bare(OTHER, line)).toBe('in sight')
    for (const way of spaces) expect(await enclosed(way, line)).not.toContain('in sight')
  })
})
