import { expect, it } from 'vitest'
import { awaitComment, label } from '../../../app/support.ts'
import { REPO } from '../../../sandbox/support.ts'
import { aScene, ask, PATIENCE, stateOf } from '../../app-scene.ts'

it('finds out by itself what became of an issue while no webhook arrives, and when it is taken back', async () => {
  const { box, runner } = await aScene({
    limits: 'candidates: 6, parallel: 1',
    settings: { reconcileMs: 400 },
  })
  box.settings.faults = { ...box.settings.faults, webhookLost: 1 }
  runner.held = true
  const issue = await label(box)
  const { issues } = box.as('wendy').rest
  const place = { ...REPO, issue_number: issue }
  const standing = async () => {
    const { status } = (await stateOf(box)) ?? {}
    return status?.phase === 'paused' ? `${status.reason}: ${status.detail}` : status?.phase
  }
  await expect.poll(standing, PATIENCE).toBe('baseline')

  await issues.update({ ...place, state: 'closed' })
  await expect.poll(standing, PATIENCE).toBe('issue: the issue was closed')
  await awaitComment(box, issue, 'It continues when a writer undoes that')
  // Somebody who may not write cannot set it going again.
  const tariq = box.as('tariq').rest.issues
  await tariq.update({ ...place, state: 'open' })
  expect(await ask(box, 'wendy', issue, '/loreley status')).toContain('the issue was closed')
  expect(await ask(box, 'wendy', issue, '/loreley status')).toContain('the issue was closed')
  await issues.update({ ...place, state: 'closed' })
  await issues.update({ ...place, state: 'open' })
  await expect.poll(standing, PATIENCE).toBe('baseline')

  await issues.removeLabel({ ...place, name: 'loreley' })
  await expect.poll(standing, PATIENCE).toBe('issue: the label was removed')
  await issues.addLabels({ ...place, labels: ['loreley'] })
  await expect.poll(standing, PATIENCE).toBe('baseline')
  await issues.lock(place)
  await expect.poll(standing, PATIENCE).toBe('issue: the issue was locked')
  await issues.unlock(place)
  await expect.poll(standing, PATIENCE).toBe('baseline')

  // Whoever says so goes on with a closed issue: only what happens to it later counts.
  await issues.update({ ...place, state: 'closed' })
  await expect.poll(standing, PATIENCE).toBe('issue: the issue was closed')
  const { data } = await issues.get(place)
  const closedAt = Date.parse(data.closed_at ?? '')
  await expect.poll(() => Date.now(), PATIENCE).toBeGreaterThan(closedAt + 1000)
  expect(await ask(box, 'wendy', issue, '/loreley resume')).toMatch(/^✅/)
  await box
    .as('olivia')
    .graphql('mutation ($id: ID!) { deleteIssue(input: { issueId: $id }) { clientMutationId } }', {
      id: data.node_id,
    })
  await expect.poll(standing, PATIENCE).toBe('issue: the issue is gone')
}, 240_000)

it('goes on when a closed issue is opened again by a writer, and not by a stranger', async () => {
  const { box, runner } = await aScene({ limits: 'candidates: 6, parallel: 1' })
  runner.held = true
  const issue = await label(box)
  const place = { ...REPO, issue_number: issue }
  const phase = async () => (await stateOf(box))?.status.phase
  await expect.poll(phase, PATIENCE).toBe('baseline')
  await box.as('wendy').rest.issues.update({ ...place, state: 'closed' })
  await expect.poll(phase, PATIENCE).toBe('paused')
  await box.as('tariq').rest.issues.update({ ...place, state: 'open' })
  expect(await ask(box, 'wendy', issue, '/loreley status')).toContain('the issue was closed')
  await box.as('wendy').rest.issues.update({ ...place, state: 'closed' })
  await box.as('wendy').rest.issues.update({ ...place, state: 'open' })
  await expect.poll(phase, PATIENCE).toBe('baseline')
}, 180_000)
