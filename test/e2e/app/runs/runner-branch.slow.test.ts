import { expect, it } from 'vitest'
import { label } from '../../../app/support.ts'
import { REPO, type TestBox } from '../../../sandbox/support.ts'
import { aScene, ask, awaitPhase, commitFile, PATIENCE } from '../../app-scene.ts'

const RUNNER = 'heads/loreley/runner/default-1'

async function refOf(box: TestBox, ref: string): Promise<string | undefined> {
  const found = await box
    .as('rita')
    .rest.git.getRef({ ...REPO, ref })
    .catch(() => undefined)
  return found?.data.object.sha
}

it('makes the branch again that runs are dispatched on, when somebody deletes it', async () => {
  const { box, runner } = await aScene({ limits: 'candidates: 3, parallel: 1' })
  runner.holdAfter = 1
  await label(box)
  await expect.poll(() => runner.heldRuns.length, PATIENCE).toBe(1)
  await box.as('olivia').rest.git.deleteRef({ ...REPO, ref: RUNNER })
  runner.release()
  await awaitPhase(box, 'finished')
  expect(await refOf(box, RUNNER)).toBe(await refOf(box, 'heads/main'))
}, 180_000)

it('begins and goes on with its branch at the root, wherever others have put it', async () => {
  const { box, runner } = await aScene({ limits: 'candidates: 3, parallel: 1' })
  const old = (await refOf(box, 'heads/main')) ?? ''
  await commitFile(box, 'README.md', '# Newer')
  const root = await refOf(box, 'heads/main')
  const { git } = box.as('olivia').rest
  await git.createRef({ ...REPO, ref: `refs/${RUNNER}`, sha: old })
  runner.holdAfter = 1
  const issue = await label(box)
  await expect.poll(() => runner.heldRuns.length, PATIENCE).toBe(1)
  expect(await refOf(box, RUNNER)).toBe(root)

  await ask(box, 'wendy', issue, '/loreley pause')
  await git.updateRef({ ...REPO, ref: RUNNER, sha: old, force: true })
  expect(await ask(box, 'wendy', issue, '/loreley resume')).toMatch(/^✅/)
  expect(await refOf(box, RUNNER)).toBe(root)
  runner.release()
  await awaitPhase(box, 'finished')
}, 180_000)
