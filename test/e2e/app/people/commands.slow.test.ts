import { expect, it } from 'vitest'
import { label } from '../../../app/support.ts'
import { REPO } from '../../../sandbox/support.ts'
import {
  answersOn,
  aScene,
  ask,
  awaitPhase,
  dashboardOn,
  PATIENCE,
  press,
  say,
  signsOn,
  stateOf,
  tickBox,
} from '../../app-scene.ts'

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
  // Only what the campaign offers now is obeyed: the comment must have caught up.
  await expect
    .poll(async () => (await dashboardOn(box, issue)).body, PATIENCE)
    .not.toMatch(/loreley:promote=[23] /)
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

it('releases CI when the box of a pull request is ticked, though nobody tells of it', async () => {
  const { box, app } = await aScene({ limits: 'candidates: 2, parallel: 1' })
  const issue = await label(box)
  await awaitPhase(box, 'finished')
  const pulls = async () => (await box.as('rita').rest.pulls.list(REPO)).data
  await expect.poll(async () => (await pulls()).length, PATIENCE).toBe(1)
  const [first] = await pulls()
  const other = Number(first?.head.ref.slice(-4)) === 1 ? 2 : 1
  await ask(box, 'wendy', issue, `/loreley promote ${other}`)
  await expect.poll(async () => (await pulls()).length, PATIENCE).toBe(2)
  const isHeld = async (number = 0) => {
    const { data } = await box.as('rita').rest.pulls.get({ ...REPO, pull_number: number })
    const head = await box.as('rita').rest.repos.getCommit({ ...REPO, ref: data.head.sha })
    return head.data.commit.message.includes('[skip ci]')
  }
  const tick = async (who: string, pull: Awaited<ReturnType<typeof pulls>>[number] | undefined) => {
    const body = (pull?.body ?? '').replace('- [ ] <!-- loreley:ci', '- [x] <!-- loreley:ci')
    expect(body).toContain('[x]')
    await box.as(who).rest.pulls.update({ ...REPO, pull_number: pull?.number ?? 0, body })
  }
  await expect(tick('rita', first)).rejects.toMatchObject({ status: 403 })
  await tick('wendy', first)
  await expect.poll(() => isHeld(first?.number), PATIENCE).toBe(false)

  const second = (await pulls()).find(({ number }) => number !== first?.number)
  box.settings.faults = { ...box.settings.faults, webhookLost: 1 }
  await tick('wendy', second)
  expect(await isHeld(second?.number)).toBe(true)
  await app.app.watch()
  await expect.poll(() => isHeld(second?.number), PATIENCE).toBe(false)
}, 180_000)
