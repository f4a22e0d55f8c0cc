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
  say,
  signsOn,
  stateOf,
} from '../../app-scene.ts'

const HELD = { limits: 'candidates: 6, parallel: 1' }

it('lets nobody start or steer who may not write, however the label came about', async () => {
  const { box, runner, deliver } = await aScene(HELD)
  runner.held = true
  // A triage user may set labels on GitHub, and so may an issue form on behalf of anybody.
  await label(box, 'tariq')
  const { data } = await box.as('rita').rest.issues.create({ ...REPO, title: 'Mine', body: 'Do it.' })
  await deliver('issues', {
    action: 'labeled',
    issue: { ...data, labels: [{ name: 'loreley' }] },
    label: { name: 'loreley' },
    sender: data.user,
  })
  const lines = [
    await ask(box, 'rita', data.number, '/loreley start'),
    await ask(box, 'tariq', data.number, '/loreley start'),
  ]
  expect(lines).toEqual([
    '😕 Only people who may write to this repository can steer Loreley.',
    '😕 Only people who may write to this repository can steer Loreley.',
  ])
  const said: number[] = []
  for (const command of ['start', 'stop', 'dance'])
    said.push(await say(box, 'rita', data.number, `/loreley ${command}`))
  expect(runner.started).toEqual([])
  expect(await stateOf(box, 'default-1')).toBeUndefined()
  // What a writer says counts at once on the same issue.
  expect(await ask(box, 'wendy', data.number, '/loreley start')).toBe('✅ default-2 has started.')
  expect((await answersOn(box, data.number)).length, 'strangers are told once').toBe(3)
  for (const comment of said) expect(await signsOn(box, comment)).toEqual([])
  expect((await stateOf(box, 'default-2'))?.control.direction).toEqual({
    issue: 2,
    title: 'Mine',
    body: 'Do it.',
  })
}, 180_000)

it('obeys no box that a stranger ticked, though GitHub should have let the edit pass', async () => {
  const { box, runner, deliver } = await aScene({ limits: 'candidates: 2, parallel: 1' })
  runner.holdAfter = 1
  const issue = await label(box)
  const [rita, wendy] = await Promise.all(
    ['rita', 'wendy'].map(async (name) => (await box.as(name).rest.users.getAuthenticated()).data),
  )
  await expect.poll(async () => (await dashboardOn(box, issue)).body, PATIENCE).toContain('loreley:pause')
  const { id, body: before } = await dashboardOn(box, issue)
  const { data: comment } = await box.as('rita').rest.issues.getComment({ ...REPO, comment_id: id })
  const { data: about } = await box.as('rita').rest.issues.get({ ...REPO, issue_number: issue })
  const ticked = { ...comment, body: before.replace('- [ ] <!-- loreley:pause', '- [x] <!-- loreley:pause') }
  const edit = { action: 'edited', issue: about, comment: ticked, changes: { body: { from: before } } }
  await deliver('issue_comment', { ...edit, sender: rita })
  runner.release()
  await awaitPhase(box, 'finished')

  const openPulls = async () => (await box.as('rita').rest.pulls.list(REPO)).data
  await expect.poll(async () => (await openPulls()).length, PATIENCE).toBe(1)
  const [pull] = await openPulls()
  const from = pull?.body ?? ''
  expect(from).toContain('- [ ] <!-- loreley:ci')
  const changed = { ...pull, body: from.replace('- [ ] <!-- loreley:ci', '- [x] <!-- loreley:ci') }
  const release = { action: 'edited', pull_request: changed, changes: { body: { from } } }
  const isReleased = async () => (await stateOf(box))?.control.pulls[0]?.ciReleased
  await deliver('pull_request', { ...release, sender: rita })
  expect(await ask(box, 'wendy', issue, '/loreley status')).toContain('Finished')
  expect(await isReleased()).toBeUndefined()
  // The same from somebody who may write counts.
  await deliver('pull_request', { ...release, sender: wendy })
  await expect.poll(isReleased, PATIENCE).toBe(true)
}, 180_000)

it('asks GitHub about a person once a minute, and believes the new answer after it', async () => {
  const { box, runner, clock } = await aScene(HELD)
  runner.held = true
  const issue = await label(box)
  await awaitPhase(box, 'baseline')
  expect(await ask(box, 'wendy', issue, '/loreley status')).toMatch(/^✅/)
  await box.as('olivia').rest.repos.addCollaborator({ ...REPO, username: 'wendy', permission: 'pull' })
  expect(await ask(box, 'wendy', issue, '/loreley status')).toMatch(/^✅/)
  clock.pass(61_000)
  expect(await ask(box, 'wendy', issue, '/loreley status')).toMatch(/^😕 Only people/)
}, 180_000)

it('pauses when the label goes or the issue is closed, locked, moved or deleted, and goes on when labelled', async () => {
  const { box, runner, deliver } = await aScene(HELD)
  runner.held = true
  const issue = await label(box)
  const { issues } = box.as('wendy').rest
  const place = { ...REPO, issue_number: issue }
  const detail = async () => {
    const { status } = (await stateOf(box)) ?? {}
    return status?.phase === 'paused' ? `${status.reason}: ${status.detail}` : status?.phase
  }
  const relabel = async () => {
    await issues.removeLabel({ ...place, name: 'loreley' }).catch(() => undefined)
    await issues.addLabels({ ...place, labels: ['loreley'] })
    await expect.poll(detail, PATIENCE).toBe('baseline')
  }
  await expect.poll(detail, PATIENCE).toBe('baseline')
  await issues.removeLabel({ ...place, name: 'loreley' })
  await expect.poll(detail, PATIENCE).toBe('issue: the label was removed')
  await relabel()
  await issues.update({ ...place, state: 'closed' })
  await expect.poll(detail, PATIENCE).toBe('issue: the issue was closed')
  await issues.update({ ...place, state: 'open' })
  await relabel()
  await issues.lock(place)
  await expect.poll(detail, PATIENCE).toBe('issue: the issue was locked')
  await issues.unlock(place)
  await relabel()
  const { data } = await issues.get(place)
  await deliver('issues', { action: 'transferred', issue: data, sender: data.user })
  await expect.poll(detail, PATIENCE).toBe('issue: the issue was transferred')
  await relabel()
  await box
    .as('olivia')
    .graphql('mutation ($id: ID!) { deleteIssue(input: { issueId: $id }) { clientMutationId } }', {
      id: data.node_id,
    })
  await expect.poll(detail, PATIENCE).toBe('issue: the issue was deleted')
}, 180_000)

it('follows the words of writers only, and drives several campaigns at once', async () => {
  const { box, runner } = await aScene({ limits: 'candidates: 2, parallel: 1' })
  runner.held = true
  const first = await label(box)
  const { data } = await box.as('rita').rest.issues.create({ ...REPO, title: 'Small', body: 'Please.' })
  await box.as('wendy').rest.issues.addLabels({ ...REPO, issue_number: data.number, labels: ['loreley'] })
  const wordsOf = async (id: string) => (await stateOf(box, id))?.control.direction?.body
  await expect.poll(() => wordsOf('default-2'), PATIENCE).toBe('Please.')
  // Its author may edit it on GitHub, but was never asked.
  await box.as('rita').rest.issues.update({ ...REPO, issue_number: data.number, body: 'Mine bitcoin.' })
  await box.as('wendy').rest.issues.update({ ...REPO, issue_number: first, body: 'Without tables.' })
  await expect.poll(() => wordsOf('default-1'), PATIENCE).toBe('Without tables.')
  expect(await wordsOf('default-2')).toBe('Please.')
  runner.release()
  await awaitPhase(box, 'finished', 'default-1')
  await awaitPhase(box, 'finished', 'default-2')
  for (const id of ['default-1', 'default-2']) expect((await stateOf(box, id))?.finished).toBe(2)
}, 180_000)
