import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { anApp, label, type TestApp } from '../../../app/support.ts'
import type { TestBox } from '../../../sandbox/support.ts'
import { aCli, type Cli } from '../../../support/cli.ts'
import { aFolder, git, gitEnvironment } from '../../../support/repository.ts'
import {
  answersOn,
  ask,
  awaitPhase,
  commitFile,
  dashboardOn,
  ledgerOf,
  PATIENCE,
  stateOf,
  WORKFLOW,
} from '../../app-scene.ts'

const run = promisify(execFile)

// One number decides, as the runner of these tests raises it; the agent of the machine does too.
const AGENT =
  "const fs = require('node:fs'); const n = Number(fs.readFileSync('src/a.txt', 'utf8')); fs.writeFileSync('src/a.txt', (n + Math.random()).toFixed(9) + '\\n')"
const configFor = (candidates: number): string => `goal: More.
scope: { editable: [src/**] }
evaluation: { command: node bench.cjs, isolation: none, baseline_runs: 2 }
objectives: [{ metric: score, direction: maximize }]
search: { cells: 9, warm_up: 2, axes: [{ metric: x, min: 0, max: 1 }, { metric: y, min: 0, max: 1 }] }
agent: { use: command, command: { code: node agent.cjs } }
limits: { candidates: ${candidates}, parallel: 2 }
`
const FILES = {
  '.loreley.yml': configFor(4),
  '.github/workflows/loreley.yml': WORKFLOW,
  'src/a.txt': '1\n',
  'agent.cjs': `${AGENT}\n`,
  'bench.cjs':
    "const score = Number(require('node:fs').readFileSync('src/a.txt', 'utf8'))\nconsole.log(JSON.stringify({ score, x: score % 1, y: 0.5 }))\n",
}
const EVERYTHING = ['refs/heads/loreley/*:refs/heads/loreley/*', 'refs/loreley/*:refs/loreley/*']

interface Clone {
  readonly folder: string
  git(...args: string[]): Promise<string>
}

/** A clone over HTTP, as wendy who may write. */
async function aClone(box: TestBox): Promise<Clone> {
  const folder = join(aFolder('loreley-clone-'), 'demo')
  const url = `${box.url.replace('://', `://wendy:${box.token('wendy')}@`)}/acme/demo.git`
  const call = async (args: readonly string[]): Promise<string> =>
    (await run('git', args, { env: gitEnvironment })).stdout
  await call(['clone', '-q', url, folder])
  return { folder, git: (...args) => call(['-C', folder, ...args]) }
}

/** Every ordinal once, every commit held, and the archive is what its ledger makes of it. */
async function expectWhole(cli: Cli, { folder }: Clone, campaign: string): Promise<void> {
  const rebuilt = await cli.run(folder, 'rebuild', campaign, '--json')
  const lines = git(folder, 'show', `loreley/state:campaigns/${campaign}/ledger/000.jsonl`).split('\n')
  expect(JSON.parse(rebuilt.stdout)).toEqual({ campaign, agrees: true, lines: lines.length })
  const entries = lines.map((line) => JSON.parse(line))
  const ordinals = entries.map(({ ordinal }) => ordinal).sort((a, b) => a - b)
  expect(ordinals).toEqual(lines.map((_, index) => index))
  const held = git(folder, 'for-each-ref', '--format=%(objectname)', `refs/loreley/keep/${campaign}`).split(
    '\n',
  )
  const commits = entries.filter(({ kind }) => kind !== 'confirm').flatMap(({ commit }) => commit ?? [])
  expect(commits.filter((commit) => !held.includes(commit))).toEqual([])
  const { epoch } = JSON.parse(git(folder, 'show', `loreley/state:campaigns/${campaign}/campaign.json`))
  expect(epoch, 'both measure by the same evaluator').toBe(1)
}

const aScene = (): Promise<TestApp> => anApp({ files: FILES })

it('carries on, for an issue, what a machine began and pushed', async () => {
  const { box, app, runner } = await aScene()
  const cli = aCli()
  const clone = await aClone(box)
  expect((await cli.run(clone.folder, 'run')).exitCode).toBe(0)
  const begun = git(clone.folder, 'show', 'loreley/state:campaigns/default/ledger/000.jsonl')
  await clone.git('push', '-q', 'origin', ...EVERYTHING)
  await box.settled()
  await app.app.watch()
  await app.app.settled()
  expect(runner.started, 'a copy alone starts nothing').toEqual([])

  await commitFile(box, '.loreley.yml', configFor(9))
  const issue = await label(box)
  await expect.poll(async () => (await stateOf(box, 'default'))?.finished, PATIENCE).toBe(9)
  await awaitPhase(box, 'finished', 'default')
  const page = async () => (await dashboardOn(box, issue)).body
  await expect.poll(page, PATIENCE).toContain('Finished after 9 candidates')

  await clone.git('fetch', '-q', 'origin', ...EVERYTHING.map((refs) => `+${refs}`))
  const now = git(clone.folder, 'show', 'loreley/state:campaigns/default/ledger/000.jsonl')
  expect(now.startsWith(begun), 'what the machine found is kept as it was').toBe(true)
  await expectWhole(cli, clone, 'default')
}, 240_000)

it('says once why it does not carry on what a machine began, however often it tries', async () => {
  const { box, app } = await aScene()
  const cli = aCli()
  const clone = await aClone(box)
  expect((await cli.run(clone.folder, 'run')).exitCode).toBe(0)
  await clone.git('push', '-q', 'origin', ...EVERYTHING)
  await commitFile(box, '.loreley.yml', configFor(9).replace('[src/**]', '[src/**, lib/**]'))
  const issue = await label(box)
  await expect.poll(() => answersOn(box, issue), PATIENCE).toHaveLength(1)
  for (let round = 0; round < 2; round++) {
    await app.app.watch()
    await app.app.settled()
  }
  expect(await answersOn(box, issue)).toEqual([expect.stringContaining('Restore the old values')])

  await commitFile(box, '.loreley.yml', configFor(9))
  await expect.poll(async () => (await stateOf(box, 'default'))?.finished, PATIENCE).toBe(9)
}, 240_000)

it('lets a machine carry on what the app began, and goes on from there', async () => {
  const { box, app, runner } = await aScene()
  const cli = aCli()
  runner.holdAfter = 3
  const issue = await label(box)
  await expect.poll(() => runner.heldRuns.length, PATIENCE).toBe(2)
  await expect.poll(async () => (await ledgerOf(box)).length, PATIENCE).toBe(3)
  await ask(box, 'wendy', issue, '/loreley pause')
  const before = await ledgerOf(box)

  const clone = await aClone(box)
  await clone.git('fetch', '-q', 'origin', ...EVERYTHING)
  const ran = await cli.run(clone.folder, 'run', 'default-1')
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0 })
  await expectWhole(cli, clone, 'default-1')
  await clone.git('push', '-q', 'origin', ...EVERYTHING)
  await box.settled()
  // Their runs end after all: what they were for is in the ledger.
  runner.release()
  await runner.idle()
  await box.settled()
  await app.app.watch()
  await app.app.settled()
  const after = await ledgerOf(box)
  expect(after.slice(0, 3)).toEqual(before)
  expect(
    after
      .filter(({ kind }) => kind === 'candidate')
      .map(({ ordinal }) => ordinal)
      .sort(),
  ).toHaveLength(4)

  expect(await ask(box, 'wendy', issue, '/loreley budget candidates 6')).toContain('✅')
  await expect.poll(async () => (await stateOf(box))?.finished, PATIENCE).toBe(6)
  await awaitPhase(box, 'finished')
  await clone.git('fetch', '-q', 'origin', ...EVERYTHING.map((refs) => `+${refs}`))
  await expectWhole(cli, clone, 'default-1')
}, 240_000)
