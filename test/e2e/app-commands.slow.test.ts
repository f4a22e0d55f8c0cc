import { expect, it } from 'vitest'
import { label } from '../app/support.ts'
import { REPO } from '../sandbox/support.ts'
import {
  answersOn,
  aScene,
  ask,
  awaitPhase,
  PATIENCE,
  press,
  say,
  signsOn,
  stateOf,
  tickBox,
} from './app-scene.ts'

it('ignores words in the middle, edited comments and bots', async () => {
  const { box } = await aScene({ limits: 'candidates: 2, parallel: 1' })
  const issue = await label(box)
  await awaitPhase(box, 'finished')
  const plain = await say(box, 'wendy', issue, 'Please /loreley stop')
  await box.as('wendy').rest.issues.updateComment({ ...REPO, comment_id: plain, body: '/loreley stop' })
  const bot = await box.installation()
  await bot.rest.issues.createComment({ ...REPO, issue_number: issue, body: '/loreley stop' })
  // The queue of a repository keeps its order: once this is answered, all before it was handled.
  expect(await ask(box, 'wendy', issue, '/loreley status')).toContain('Finished')
  expect((await answersOn(box, issue)).filter((body) => !body.startsWith('/'))).toHaveLength(1)
  expect(await signsOn(box, plain)).toEqual([])
}, 180_000)

it('obeys the boxes and buttons of writers, and nobody else', async () => {
  const { box, runner } = await aScene({ limits: 'candidates: 30, parallel: 1, checkpoint: 3' })
  const issue = await label(box)
  await awaitPhase(box, 'paused')
  expect((await stateOf(box))?.status).toMatchObject({ reason: 'checkpoint' })
  const before = (await stateOf(box))?.control
  const decided = async () => {
    const { declined, pulls, confirmed } = (await stateOf(box))?.control ?? {}
    return { declined, pulls, confirmed }
  }
  const untouched = await decided()

  // A stranger's press reaches the app; GitHub itself lets only writers edit our comment.
  await press(box, 'rita', 'default-1-0001', 'discard')
  await press(box, 'tariq', 'default-1-0001', 'promote')
  await expect(tickBox(box, 'rita', issue, 'resume')).rejects.toMatchObject({ status: 403 })
  await ask(box, 'wendy', issue, '/loreley status')
  expect(await decided()).toEqual(untouched)

  await press(box, 'wendy', 'default-1-0001', 'retry')
  const again = async () => (await stateOf(box))?.control.confirmed
  await expect.poll(again, PATIENCE).toBe((before?.confirmed ?? 0) + 1)
  await press(box, 'wendy', 'default-1-0002', 'promote')
  await expect.poll(async () => (await box.as('rita').rest.pulls.list(REPO)).data.length, PATIENCE).toBe(1)
  await press(box, 'wendy', 'default-1-0003', 'discard')
  await expect.poll(async () => (await stateOf(box))?.control.declined, PATIENCE).toEqual([3])
  await tickBox(box, 'wendy', issue, 'promote=')
  await expect.poll(async () => (await stateOf(box))?.control.pulls.length, PATIENCE).toBe(2)
  runner.instead = () => 'fail'
  await tickBox(box, 'wendy', issue, 'resume')
  await expect
    .poll(async () => (await stateOf(box))?.status, PATIENCE)
    .toMatchObject({ reason: 'same-failure' })
  runner.instead = undefined
  await tickBox(box, 'wendy', issue, 'retry')
  await expect.poll(async () => (await stateOf(box))?.finished, PATIENCE).toBeGreaterThanOrEqual(7)
}, 180_000)
