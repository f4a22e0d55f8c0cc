import { expect, it } from 'vitest'
import { awaitComment, label } from '../app/support.ts'
import { aScene, ask, awaitPhase, dashboardOn, ledgerOf, PATIENCE, stateOf } from './app-scene.ts'

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
  await awaitComment(box, issue, 'Look at the runs of the last candidates')
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
