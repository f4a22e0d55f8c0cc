import { expect, it } from 'vitest'
import { awaitComment, label } from '../../../app/support.ts'
import {
  aConfigFile,
  aScene,
  ask,
  awaitPhase,
  dashboardOn,
  ledgerOf,
  PATIENCE,
  stateOf,
} from '../../app-scene.ts'

it('ends a campaign whose money runs out in the middle, counting what is in flight', async () => {
  const { box, runner } = await aScene({ limits: 'candidates: 50, parallel: 3, runner_minutes: 60' })
  runner.usage = { tokens: 0, dollars: 0, runnerMs: 9 * 60_000 }
  const issue = await label(box)
  await awaitPhase(box, 'finished')
  expect((await stateOf(box))?.status).toEqual({ phase: 'finished', reason: 'budget-runner-minutes' })
  const spent = runner.started.length * 9
  expect(spent).toBeGreaterThan(20)
  expect(spent).toBeLessThanOrEqual(60)
  await awaitComment(box, issue, 'runner minutes')
}, 180_000)

const MODEL = `agent:
  use: openai
  openai: { models: [{ name: m, price: { input: 5, output: 5 } }] }
  limits: { tokens: 100000 }
`

it.each([
  ['tokens', 450_000, 'budget-tokens'],
  ['dollars', 2.25, 'budget-dollars'],
])(
  'spends no more %s than %d, counting candidates that failed and those in flight',
  async (limit, most, reason) => {
    const { box, runner } = await aScene({
      config: aConfigFile(`candidates: 50, parallel: 2, same_failure: 50, ${limit}: ${most}`, MODEL),
    })
    runner.modelUsage = { tokens: 90_000, dollars: 0.45, runnerMs: 5 }
    // Every other candidate is paid for, and then fails a gate.
    runner.instead = ({ id }) => (runner.started.length > 1 && id % 2 === 0 ? 'break-gate' : undefined)
    await label(box)
    await awaitPhase(box, 'finished')
    expect((await stateOf(box))?.status).toEqual({ phase: 'finished', reason })
    const made = (await ledgerOf(box)).filter(({ kind }) => kind === 'candidate')
    expect(made.map(({ verdict }) => verdict.reason)).toContain('gate-failed')
    expect(made.length).toBeGreaterThan(2)
    const spent = made.length * (limit === 'tokens' ? 90_000 : 0.45)
    expect(spent).toBeLessThanOrEqual(most)
    expect((await stateOf(box))?.used[limit === 'tokens' ? 'tokens' : 'dollars']).toBeCloseTo(spent)
  },
  180_000,
)

it.each([
  ['broke after its proposal', 'lose-result', 0.45],
  ['was cancelled after its proposal', 'be-cancelled', 0.45],
  ['broke in the hands of the agent', 'fail', 0.5],
  ['put another proposal in the place of its own', 'swap-proposal', 0.5],
  ['never got a runner', 'starve', 0],
] as const)(
  'counts what the model of a run cost that %s',
  async (_what, instead, each) => {
    const { box, runner } = await aScene({ config: aConfigFile('candidates: 2, same_failure: 9', MODEL) })
    runner.modelUsage = { tokens: 90_000, dollars: 0.45, runnerMs: 5 }
    runner.instead = () => (runner.started.length > 1 ? instead : undefined)
    await label(box)
    await awaitPhase(box, 'finished')
    const made = (await ledgerOf(box)).filter(({ kind }) => kind === 'candidate')
    expect(made.map(({ verdict }) => verdict.status)).toEqual(['refused', 'refused'])
    const used = (await stateOf(box))?.used
    expect([used?.dollars, used?.tokens]).toEqual([2 * each, 2 * each * 200_000])
  },
  180_000,
)

it('begins nothing that a budget made smaller in the middle does not allow', async () => {
  const { box, runner } = await aScene({ limits: 'candidates: 20, parallel: 2' })
  runner.holdAfter = 1
  const issue = await label(box)
  // Two run, and two more are planned to take their places.
  await expect.poll(() => runner.heldRuns.length, PATIENCE).toBe(2)
  const budget = (candidates: number) => ask(box, 'wendy', issue, `/loreley budget candidates ${candidates}`)
  expect(await budget(2)).toContain('Finishing the candidates in flight')
  expect(await budget(3)).toMatch(/0 of 3 candidates|Finishing the candidates in flight/)
  runner.release()
  await awaitPhase(box, 'finished')
  const isCandidate = ({ payload }: { payload: { inputs?: unknown } }) =>
    Object(payload.inputs).kind === 'candidate'
  expect(runner.started.filter(isCandidate)).toHaveLength(3)
  expect((await stateOf(box))?.finished).toBe(3)
}, 180_000)

it('counts the time of runs that failed without a result', async () => {
  const { box, runner } = await aScene({ limits: 'candidates: 20, parallel: 1' })
  runner.failingMs = 7 * 60_000
  runner.instead = () => (runner.started.length > 1 ? 'fail' : undefined)
  await label(box)
  await awaitPhase(box, 'paused')
  expect((await stateOf(box))?.used.runnerMs).toBeGreaterThanOrEqual(3 * 7 * 60_000)
}, 180_000)

it('plans no more candidates a day than allowed, and goes on the next day', async () => {
  const { box, clock, app } = await aScene({ limits: 'candidates: 5, parallel: 1, candidates_per_day: 3' })
  await label(box)
  await expect.poll(async () => (await stateOf(box))?.finished, PATIENCE).toBe(3)
  expect((await stateOf(box))?.status.phase).not.toBe('finished')
  clock.pass(24 * 3_600_000)
  await app.app.watch()
  await awaitPhase(box, 'finished')
  expect((await stateOf(box))?.finished).toBe(5)
}, 180_000)

it('pauses after repeated failures of one kind, with reason and remedy, and says why each failed', async () => {
  const { box, runner } = await aScene({ limits: 'candidates: 20, parallel: 1' })
  runner.instead = (run) =>
    String(run.payload.inputs).length > 0 && runner.started.length > 1 ? 'fail' : undefined
  const issue = await label(box)
  await expect
    .poll(async () => (await stateOf(box))?.status, PATIENCE)
    .toEqual({
      phase: 'paused',
      reason: 'same-failure',
      detail: '3 candidates in a row ended with infrastructure',
    })
  await awaitComment(box, issue, 'Check the runs of the last candidates')
  const failed = (await ledgerOf(box)).find(({ verdict }) => verdict.reason === 'infrastructure')
  const line = await ask(box, 'wendy', issue, `/loreley explain ${failed?.ordinal}`)
  expect(line).toContain('The run failed without leaving a result')
  expect(line).toContain('the disk is full')
}, 180_000)

it('measures the root alone in a dry run', async () => {
  const { box, runner } = await aScene({ limits: 'candidates: 9, dry_run: true' })
  const issue = await label(box)
  await awaitPhase(box, 'finished')
  expect((await stateOf(box))?.status).toEqual({ phase: 'finished', reason: 'dry-run' })
  expect(runner.started).toHaveLength(1)
  await expect.poll(async () => (await dashboardOn(box, issue)).body, PATIENCE).toContain('Baseline: score 1')
}, 180_000)

it('pauses at every checkpoint with the leaderboard, until somebody says go on', async () => {
  const { box } = await aScene({ limits: 'candidates: 4, parallel: 1, checkpoint: 2' })
  const issue = await label(box)
  await awaitPhase(box, 'paused')
  expect((await stateOf(box))?.status).toMatchObject({ reason: 'checkpoint' })
  expect((await stateOf(box))?.finished).toBe(2)
  await expect.poll(async () => (await dashboardOn(box, issue)).body, PATIENCE).toMatch(/default-1-000[12]/)
  await ask(box, 'wendy', issue, '/loreley resume')
  await expect.poll(async () => (await stateOf(box))?.finished, PATIENCE).toBe(4)
}, 180_000)
