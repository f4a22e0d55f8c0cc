import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { writePrograms } from '../../../src/process/isolation/candidate-launcher.ts'
import { aFolder } from '../../support/repository.ts'
import { bundleProgram, runProgram } from '../bundled-program.ts'
import { aRequest, hasNamespaces } from '../enclosed-run.ts'

const USER = 65_533
const SECTION = 'docs/how-to/harden-a-repository.md'

// In sight of one process tree only: the setting of Ubuntu, and mounts of /proc that are refused, as AppArmor does.
const RESTRICTED = [
  ...['unshare', '--mount', 'sh', '-c'],
  'mount -t tmpfs loreley /proc/sys/kernel && echo 1 > /proc/sys/kernel/apparmor_restrict_unprivileged_userns && exec "$@"',
  'sh',
]
const AS_USER = ['setpriv', `--reuid=${USER}`, `--regid=${USER}`, '--clear-groups']

let program = ''
beforeAll(async () => {
  program = await bundleProgram(
    "import { findIsolation } from '../../src/process/isolation/find-isolation.ts'",
    `async (request) => {
      const search = await findIsolation(request)
      return search.status === 'found' ? { status: 'found', lacks: search.isolation.lacks } : search
    }`,
  )
})

function aPlace(uid: number): string {
  const place = aFolder()
  chmodSync(place, 0o755)
  chownSync(place, uid, uid)
  return place
}

describe.runIf(hasNamespaces)('where AppArmor restricts user namespaces', () => {
  it('an ordinary user is told so, and where the remedy is', async () => {
    const search = await runProgram(program, aRequest(aPlace(USER)), { through: [...RESTRICTED, ...AS_USER] })
    expect(search).toMatchObject({ status: 'unavailable', detail: expect.stringContaining('AppArmor') })
    expect(search.detail).toContain(SECTION)
    expect(await runProgram(program, aRequest(aPlace(USER)), { through: AS_USER })).toEqual({
      status: 'found',
    })
  })

  it('root is isolated all the same, and told that loreley-candidate is not to be had', async () => {
    const search = await runProgram(program, aRequest(aPlace(0)), { through: RESTRICTED })
    expect(search).toMatchObject({ status: 'found', lacks: expect.stringContaining('loreley-candidate') })
    expect(search.lacks).toContain(SECTION)
  })

  it('loreley-candidate refuses to pretend where namespaces were promised, and says so elsewhere', async () => {
    const place = aPlace(USER)
    await writePrograms(join(place, 'programs'))
    for (const name of ['home', 'temp']) {
      mkdirSync(join(place, name))
      chownSync(join(place, name), USER, USER)
    }
    const start = (level: string, through: readonly string[]) => {
      const argv = [...through, ...AS_USER, join(place, 'programs/loreley-candidate'), 'echo', 'started']
      const env = { PATH: process.env.PATH, LORELEY_WORKSPACE: place, LORELEY_ISOLATION: level }
      return spawnSync(argv[0] ?? '', argv.slice(1), { cwd: place, env, encoding: 'utf8' })
    }
    expect(start('namespace', [])).toMatchObject({ status: 0, stdout: 'started\n', stderr: '' })
    const refused = start('namespace', RESTRICTED)
    expect(refused).toMatchObject({ status: 125, stdout: '', stderr: expect.stringContaining('AppArmor') })
    expect(refused.stderr).toContain(SECTION)
    expect(start('none', RESTRICTED)).toMatchObject({
      status: 0,
      stdout: 'started\n',
      stderr: expect.stringMatching(/no namespaces here .*AppArmor/),
    })
  })

  it('loreley-candidate says so where the system allows no user namespaces at all', async () => {
    const place = aPlace(0)
    await writePrograms(join(place, 'programs'))
    for (const name of ['home', 'temp']) mkdirSync(join(place, name))
    // The limit of a user namespace of our own holds in those below it.
    const line = `echo 0 > /proc/sys/user/max_user_namespaces && exec ${place}/programs/loreley-candidate echo started`
    const env = { PATH: process.env.PATH, LORELEY_WORKSPACE: place, LORELEY_ISOLATION: 'namespace' }
    const argv = ['--user', '--map-root-user', '--mount', '--pid', '--fork', '--mount-proc', 'sh', '-c', line]
    expect(spawnSync('unshare', argv, { cwd: place, env, encoding: 'utf8' })).toMatchObject({
      status: 125,
      stdout: '',
      stderr: expect.stringMatching(/cannot get namespaces of its own: unshare: No space left/),
    })
  })

  it('loreley-candidate runs nothing where the quota of namespaces is used up, even without a promise', async () => {
    const place = aPlace(0)
    await writePrograms(join(place, 'programs'))
    for (const name of ['home', 'temp']) mkdirSync(join(place, name))
    const line = `echo 1 > /proc/sys/user/max_user_namespaces
unshare --user sh -c ': > held; exec sleep 60' &
until [ -e held ]; do sleep 0.01; done
${place}/programs/loreley-candidate echo started; code=$?; kill $!; exit $code`
    const env = { PATH: process.env.PATH, LORELEY_WORKSPACE: place, LORELEY_ISOLATION: 'none' }
    const argv = ['--user', '--map-root-user', '--mount', '--pid', '--fork', '--mount-proc', 'sh', '-c', line]
    expect(spawnSync('unshare', argv, { cwd: place, env, encoding: 'utf8' })).toMatchObject({
      status: 125,
      stdout: '',
      stderr: expect.stringMatching(/cannot get namespaces of its own: unshare: No space left/),
    })
  })
})
