import { expect, it } from 'vitest'
import { label } from '../../../app/support.ts'
import { REPO } from '../../../sandbox/support.ts'
import { aScene, awaitPhase, dashboardOn, PATIENCE } from '../../app-scene.ts'

it('shows a campaign’s end after a restart, though the report of it died with the process', async () => {
  const { box, restart } = await aScene({
    limits: 'candidates: 2, parallel: 1',
    settings: { reportMs: 3_600_000 },
  })
  const issue = await label(box)
  await awaitPhase(box, 'finished')
  const page = async () => (await dashboardOn(box, issue)).body
  expect(await page()).not.toContain('Finished after 2')
  await restart()
  await expect.poll(page, PATIENCE).toContain('Finished after 2')
}, 240_000)

it('leaves a dashboard alone that is right, also when another campaign has moved the branch', async () => {
  const { box, quiet, restart } = await aScene({ limits: 'candidates: 1, parallel: 1' })
  const issue = await label(box)
  await awaitPhase(box, 'finished')
  await expect.poll(async () => (await dashboardOn(box, issue)).body, PATIENCE).toContain('Finished after 1')
  await quiet()
  const { id } = await dashboardOn(box, issue)
  const read = async () =>
    (await box.as('rita').rest.issues.getComment({ ...REPO, comment_id: id })).data.updated_at
  const before = await read()
  const another = await label(box)
  await awaitPhase(box, 'finished', `default-${another}`)
  await quiet()
  await expect.poll(() => Date.now(), PATIENCE).toBeGreaterThan(Date.parse(before) + 1000)
  await restart()
  await quiet()
  expect(await read()).toBe(before)
}, 240_000)
