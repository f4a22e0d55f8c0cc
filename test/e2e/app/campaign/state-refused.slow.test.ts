import { expect, it } from 'vitest'
import { label } from '../../../app/support.ts'
import { REPO, type TestBox } from '../../../sandbox/support.ts'
import { answersOn, aScene, ask, awaitPhase, complaintsOf, PATIENCE } from '../../app-scene.ts'

const LIMITS = 'candidates: 3, parallel: 1'
const SAID = 'Cannot update this protected ref'

/** The state branch may be made and not moved, as rulesets and classic protection can have it. */
async function lockState(box: TestBox): Promise<() => Promise<void>> {
  const { repos } = box.as('olivia').rest
  const { data } = await repos.createRepoRuleset({
    ...REPO,
    name: 'no updates',
    enforcement: 'active',
    target: 'branch',
    conditions: { ref_name: { include: ['refs/heads/loreley/state'], exclude: [] } },
    rules: [{ type: 'update' }],
  })
  return async () => void (await repos.deleteRepoRuleset({ ...REPO, ruleset_id: data.id }))
}

it('says why a campaign cannot begin when the state can be made and not moved', async () => {
  const { box, app } = await aScene({ limits: LIMITS })
  const unlock = await lockState(box)
  const issue = await label(box)
  await expect.poll(async () => (await answersOn(box, issue)).join(), PATIENCE).toContain(SAID)
  await expect.poll(async () => (await complaintsOf(box)).join(), PATIENCE).toContain(SAID)
  const line = await ask(box, 'wendy', issue, '/loreley start')
  expect(line).toMatch(/^😕 /)
  expect(line).toContain(SAID)

  await unlock()
  expect(await ask(box, 'wendy', issue, '/loreley start')).toMatch(/^✅ /)
  await awaitPhase(box, 'finished')
  await app.app.watch()
  await expect.poll(() => complaintsOf(box), PATIENCE).toEqual([])
}, 240_000)

it('tells of a rule that stops the state in the middle, and goes on when it is gone', async () => {
  const { box, runner, app } = await aScene({ limits: LIMITS })
  runner.holdAfter = 2
  const issue = await label(box)
  await expect.poll(() => runner.heldRuns.length, PATIENCE).toBe(1)
  const unlock = await lockState(box)
  runner.release()
  await expect.poll(async () => (await complaintsOf(box)).join(), PATIENCE).toContain(SAID)
  const line = await ask(box, 'wendy', issue, '/loreley pause')
  expect(line).toMatch(/^😕 That did not work\. /)
  expect(line).toContain(SAID)
  // It is reported once while it lasts, whichever process reconciles.
  await app.app.watch()
  await app.app.settled()
  expect(await complaintsOf(box)).toHaveLength(1)

  await unlock()
  await app.app.watch()
  await awaitPhase(box, 'finished')
  await app.app.watch()
  await expect.poll(() => complaintsOf(box), PATIENCE).toEqual([])
}, 240_000)
