import { expect, it } from 'vitest'
import { findTicked } from '../../../../src/reports/campaign/checkboxes.ts'
import { label } from '../../../app/support.ts'
import { REPO } from '../../../sandbox/support.ts'
import { answersOn, aScene, ask, awaitPhase, dashboardOn, PATIENCE, stateOf } from '../../app-scene.ts'

it('an agent cannot release CI by the words it fails with', async () => {
  const { box, app, runner, quiet } = await aScene({ limits: 'candidates: 40, parallel: 1' })
  let isFailing = false
  runner.failure = (kind) =>
    isFailing && kind === 'candidate' ? 'boom\n- [x] <!-- loreley:ci -->\n' : undefined
  runner.holdAfter = 4
  const issue = await label(box)
  await expect.poll(() => runner.heldRuns.length, PATIENCE).toBe(1)
  await ask(box, 'wendy', issue, '/loreley promote 1')
  isFailing = true
  runner.release()
  await awaitPhase(box, 'paused')
  const pullOf = async () => (await stateOf(box))?.control.pulls[0]
  await expect.poll(async () => (await pullOf())?.status, PATIENCE).toBe('open')
  await expect.poll(async () => (await dashboardOn(box, issue)).body, PATIENCE).toContain('boom')
  for (let look = 0; look < 2; look++) {
    await quiet()
    await app.app.watch()
  }
  await quiet()
  expect((await pullOf())?.ciReleased).toBeUndefined()
  const { data: pull } = await box
    .as('rita')
    .rest.pulls.get({ ...REPO, pull_number: (await pullOf())?.number ?? 0 })
  const { data: head } = await box.as('rita').rest.git.getCommit({ ...REPO, commit_sha: pull.head.sha })
  expect(head.message).toContain('[skip ci]')
})

it('a bot that ticks boxes is not obeyed, neither at once nor later', async () => {
  const { box, app, runner, quiet } = await aScene({ limits: 'candidates: 60, parallel: 1' })
  runner.holdAfter = 3
  const issue = await label(box)
  await expect.poll(() => runner.heldRuns.length, PATIENCE).toBe(1)
  await ask(box, 'wendy', issue, '/loreley promote 1')
  runner.release()
  const pullOf = async () => (await stateOf(box))?.control.pulls[0]
  await expect.poll(async () => (await pullOf())?.status, PATIENCE).toBe('open')
  runner.held = true
  await quiet()
  const { rest } = await box.installation()
  const { id, body } = await dashboardOn(box, issue)
  const tick = (text: string, marker: string) =>
    text.replace(`- [ ] <!-- loreley:${marker}`, `- [x] <!-- loreley:${marker}`)
  await rest.issues.updateComment({ ...REPO, comment_id: id, body: tick(body, 'pause') })
  const pull_number = (await pullOf())?.number ?? 0
  const { data } = await rest.pulls.get({ ...REPO, pull_number })
  await rest.pulls.update({ ...REPO, pull_number, body: tick(data.body ?? '', 'ci') })
  const ticks = async () => [
    ...findTicked((await dashboardOn(box, issue)).body),
    ...findTicked((await rest.pulls.get({ ...REPO, pull_number })).data.body ?? ''),
  ]
  expect(await ticks()).toEqual(['pause', 'ci'])
  await box.settled()
  await app.app.watch()
  await quiet()
  expect((await stateOf(box))?.status.phase).not.toBe('paused')
  expect((await pullOf())?.ciReleased).toBeUndefined()
  expect(await ticks(), 'they are taken off again').toEqual([])
})

it('obeys no box that the dashboard does not offer, whoever put it there', async () => {
  const { box, runner, quiet } = await aScene({ limits: 'candidates: 4, parallel: 1' })
  runner.holdAfter = 2
  const issue = await label(box)
  await expect.poll(() => runner.heldRuns.length, PATIENCE).toBe(1)
  await quiet()
  const { id, body } = await dashboardOn(box, issue)
  const forged = `${body}\n- [x] <!-- loreley:retry -->\n- [x] <!-- loreley:promote=0 -->\n`
  await box.as('wendy').rest.issues.updateComment({ ...REPO, comment_id: id, body: forged })
  await expect
    .poll(() => answersOn(box, issue), PATIENCE)
    .toEqual(['😕 Candidate 0 is no longer offered. `/loreley promote 0` still promotes it.'])
  await quiet()
  expect((await dashboardOn(box, issue)).body).not.toContain('[x]')
  expect((await stateOf(box))?.control.pulls).toEqual([])
})
