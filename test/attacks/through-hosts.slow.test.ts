import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { LedgerEntry } from '../../src/core/campaign/ledger.ts'
import { openGit } from '../../src/store/open-git.ts'
import { hasNamespaces, hasUserNamespaces, isRoot } from '../process/enclosed-run.ts'
import { aFolder, aRepository, gitEnvironment, writeFiles } from '../support/repository.ts'
import { AGENT, startAttackBox } from './attack-box.ts'
import { type Attack, describeEnd } from './candidates/attacks.ts'
import { BESIDE_THE_JUDGE, JUDGE } from './candidates/beside-the-judge.ts'
import { openSettings } from './candidates/open-victims.ts'
import { victimFiles } from './candidates/victim.ts'
import { attackLocally } from './local-attack.ts'

const MAIN = fileURLToPath(new URL('../../dist/entrypoints/cli/main.js', import.meta.url))

// Held-out inputs are there in confirmations only: fitted.slow.test.ts has those.
const ATTACKS: readonly Attack[] = BESIDE_THE_JUDGE.filter(({ name }) => !name.includes('held-out')).map(
  ({ name, candidate }) => ({
    name,
    work: (folder) => writeFiles(folder, { 'src/candidate.pl': candidate }),
    end: 'harmless',
  }),
)
// As a plain child each is taken for perfect work, and one ends its own evaluation.
const CARELESS = ATTACKS.map(({ name }) => [
  name,
  name === 'stops the judge' ? { refused: 'evaluation-failed' } : 'scored 1',
])

// One of each class on a runner, where every candidate takes a whole workflow run.
const ON_RUNNERS = ATTACKS.filter(({ name }) =>
  /pidfd_getfd|inspector|later Python|TMPDIR between|abstract|System V/.test(name),
)

const FILES = { 'judge.mjs': JUDGE, 'src/candidate.pl': "print 'nothing'\n" }
const settings = (start: 'loreley-candidate' | '', isolation = 'namespace') => ({
  ...openSettings(
    {
      command: `node "$LORELEY_TRUSTED/judge.mjs" ${start}`,
      output: { form: 'json-file', file: 'metrics.json' },
      isolation,
    },
    ATTACKS.length,
  ),
})

const endsOf = (entries: readonly (LedgerEntry | undefined)[], attacks = ATTACKS) =>
  attacks.map(({ name }, index) => [name, describeEnd(entries[index])])
const onRunners = (ends: readonly (readonly unknown[])[]) =>
  ends.filter(([name]) => ON_RUNNERS.some((attack) => attack.name === name))
const HARMLESS = ATTACKS.map(({ name, end }) => [name, end])

describe.runIf(hasNamespaces || hasUserNamespaces)('candidates beside their judge, in the local host', () => {
  it.each([
    ['gain nothing behind loreley-candidate', 'loreley-candidate', HARMLESS],
    ['win as plain children', '', CARELESS],
  ] as const)(
    'candidates beside their judge %s',
    async (_, start, ends) => {
      const { entries, isolation } = await attackLocally(() => ATTACKS, {
        ...{ settings: settings(start), files: FILES, isolation: 'namespace' },
      })
      expect(isolation).toMatchObject({ level: 'namespace' })
      expect(endsOf(entries.slice(1))).toEqual(ends)
    },
    120_000,
  )
})

describe.runIf(isRoot && hasUserNamespaces)(
  'candidates beside their judge, in the command of an ordinary user',
  () => {
    it.each([
      ['gain nothing behind loreley-candidate', 'loreley-candidate', HARMLESS],
      ['win as plain children', '', CARELESS],
    ] as const)(
      'candidates of an ordinary user %s',
      async (_, start, ends) => {
        const { entries, output } = await runAsUser(65_533, settings(start))
        expect(endsOf(entries.slice(1)), output).toEqual(ends)
        expect(entries[1]?.isolation).toMatchObject({ level: 'namespace', user: 'own' })
      },
      120_000,
    )
  },
)

describe.runIf(hasNamespaces)('candidates beside their judge, through the action', () => {
  it.each([
    ['gain nothing behind loreley-candidate', 'loreley-candidate', HARMLESS],
    ['win as plain children', '', CARELESS],
  ] as const)(
    'candidates on a runner %s',
    async (_, start, ends) => {
      const { run } = await startAttackBox(ON_RUNNERS, { settings: settings(start), files: FILES })
      const runs = await Promise.all(ON_RUNNERS.map((_attack, index) => run(index + 1)))
      const found = endsOf(
        runs.map(({ entry }) => entry),
        ON_RUNNERS,
      )
      expect(found).toEqual(onRunners(ends))
    },
    300_000,
  )
})

/** Runs a campaign with the built command as somebody without rights, whose agent leaves one attack after the other. */
async function runAsUser(uid: number, campaign: object) {
  const works = aFolder('loreley-attacks-')
  const agent = { use: 'command', command: { code: `sh ${join(works, 'agent.sh')}` } }
  const repository = aRepository({ ...victimFiles({ ...campaign, agent }), ...FILES })
  writeFileSync(join(works, 'agent.sh'), AGENT)
  for (const [index, { work }] of ATTACKS.entries()) {
    const folder = join(works, `${index + 1}`)
    cpSync(repository, folder, { recursive: true, filter: (path) => !/\/(\.git|\.loreley\.yml)$/.test(path) })
    work(folder)
  }
  const home = aFolder('loreley-home-')
  mkdirSync(join(home, 'temp'))
  const owned = [repository, works, home]
  for (const folder of owned) chmodSync(folder, 0o755)
  execFileSync('chown', ['-R', `${uid}:${uid}`, ...owned])
  const env = {
    ...{ PATH: process.env.PATH, HOME: home, TMPDIR: join(home, 'temp'), LORELEY_CACHE: join(home, 'cache') },
  }
  const ran = spawnSync(process.execPath, [MAIN, 'run', '--parallel', '1'], {
    ...{ cwd: repository, env, uid, gid: uid, encoding: 'utf8' },
  })
  // Git reads no repository of somebody else's.
  execFileSync('chown', ['-R', '0:0', repository])
  const git = await openGit(repository, gitEnvironment)
  onTestFinished(() => git.close())
  const snapshot = await git.store.load('default')
  const entries: LedgerEntry[] = []
  if (snapshot !== undefined) for await (const entry of git.store.readLedger(snapshot)) entries.push(entry)
  return { entries, output: `${ran.stdout}${ran.stderr}` }
}
