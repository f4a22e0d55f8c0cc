import { tmpdir } from 'node:os'
import { describe, expect, it, vi } from 'vitest'
import { runGroup } from '../../src/process/run-group.ts'
import { aCommand } from './a-command.ts'

describe('runGroup', () => {
  it('reports the exit code and both streams', async () => {
    const outcome = await runGroup(aCommand('echo out; echo err >&2; exit 7'))
    expect(outcome).toMatchObject({
      status: 'exited',
      exitCode: 7,
      stdout: 'out\n',
      stderr: 'err\n',
      isStdoutCut: false,
    })
  })

  it('reports the signal that ended a command', async () => {
    expect(await runGroup(aCommand('kill -SEGV $$'))).toMatchObject({
      status: 'signalled',
      signal: 'SIGSEGV',
    })
  })

  it('gives the command the environment it was given and nothing else', async () => {
    vi.stubEnv('LORELEY_TEST_SECRET', 'hunter2')
    vi.stubEnv('NODE_V8_COVERAGE', '/nowhere')
    const env = { PATH: '/usr/bin:/bin', GREETING: 'grüß\ngott' }
    const outcome = await runGroup(aCommand('', { argv: ['env', '-0'], env, owner: 'me' }))
    vi.unstubAllEnvs()
    const variables = Object.fromEntries(
      outcome.stdout
        .split('\0')
        .filter((entry) => entry !== '')
        .map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
    )
    expect(variables).toEqual({
      ...env,
      LORELEY_OWNER: 'me',
      LORELEY_GROUP: expect.stringMatching(/^[\w-]{36}$/),
    })
  })

  it('looks the program up in the PATH of the given environment', async () => {
    const outcome = await runGroup(aCommand('', { argv: ['env'], env: { PATH: '/nowhere' } }))
    expect(outcome).toMatchObject({ status: 'not-started', reason: expect.stringContaining('ENOENT') })
  })

  it.each([
    ['an unknown program', aCommand('', { argv: ['no-such-program-here'] }), 'no-such-program-here'],
    ['an empty argv', aCommand('', { argv: [] }), ''],
    ['a NUL in an argument', aCommand('', { argv: ['echo', 'a\0b'] }), 'null bytes'],
    ['a missing folder', aCommand('true', { cwd: '/no/such/folder' }), '/no/such/folder'],
    ['a folder as program', aCommand('', { argv: [tmpdir()] }), 'EACCES'],
  ])('runGroup does not start %s, and says why', async (_what, command, reason) => {
    const outcome = await runGroup(command)
    expect(outcome).toMatchObject({
      status: 'not-started',
      reason: expect.stringContaining(reason),
      stdout: '',
    })
  })

  it('hands stdin over and closes it', async () => {
    const text = 'line\n'.repeat(50_000)
    expect(await runGroup(aCommand('wc -c', { stdin: text }))).toMatchObject({ stdout: `${text.length}\n` })
  })

  it('runGroup accepts a command that leaves its stdin unread', async () => {
    const outcome = await runGroup(aCommand('exec 0<&-; echo done', { stdin: 'x'.repeat(1_000_000) }))
    expect(outcome).toMatchObject({ status: 'exited', exitCode: 0, stdout: 'done\n' })
  })

  it('gives an end of file to a command without stdin', async () => {
    expect(await runGroup(aCommand('cat; echo done'))).toMatchObject({ stdout: 'done\n' })
  })

  it('keeps the last line of an output far beyond the cap', async () => {
    const outcome = await runGroup(
      aCommand('echo first; head -c 20000000 /dev/zero | tr "\\0" "\\n"; echo 42', { maxOutputBytes: 4000 }),
    )
    expect(outcome).toMatchObject({ status: 'exited', exitCode: 0, isStdoutCut: true })
    expect(outcome.stdout.startsWith('first\n')).toBe(true)
    expect(outcome.stdout.endsWith('\n42\n')).toBe(true)
    expect(outcome.stdout.length).toBeLessThan(4100)
  })

  it('stops when asked to, also before the start', async () => {
    const controller = new AbortController()
    const running = runGroup(aCommand('sleep 100', { signal: controller.signal }))
    setTimeout(() => controller.abort(), 50)
    expect(await running).toMatchObject({ status: 'aborted' })
    expect(await runGroup(aCommand('true', { signal: controller.signal }))).toMatchObject({
      status: 'aborted',
    })
  })

  it('keeps what a command said before it timed out', async () => {
    const outcome = await runGroup(aCommand('echo begun; exec sleep 100', { timeoutMs: 300 }))
    expect(outcome).toMatchObject({ status: 'timed-out', stdout: 'begun\n' })
  })

  it('lets a command clean up after SIGTERM', async () => {
    const line = 'trap "echo cleaned; exit 0" TERM; sleep 100 & wait'
    expect(await runGroup(aCommand(line, { timeoutMs: 300 }))).toMatchObject({
      status: 'timed-out',
      stdout: 'cleaned\n',
    })
  })

  it('runs a timeout that is longer than a timer can be', async () => {
    const outcome = await runGroup(aCommand('sleep 0.1; echo ok', { timeoutMs: Number.POSITIVE_INFINITY }))
    expect(outcome).toMatchObject({ status: 'exited', stdout: 'ok\n' })
  })
})
