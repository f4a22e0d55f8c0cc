import { expect, it } from 'vitest'
import { label, type TestApp } from '../../../app/support.ts'
import { REPO, type TestBox } from '../../../sandbox/support.ts'
import {
  answersOn,
  aScene,
  awaitPhase,
  commitFile,
  PATIENCE,
  WORKFLOW,
  WORKFLOW_PATH,
} from '../../app-scene.ts'

const LIMITS = 'candidates: 1, parallel: 1'

/** All that the app ever asked maintainers to mend, by number and state. */
async function complaints(box: TestBox): Promise<string[]> {
  const { data } = await box
    .as('rita')
    .rest.issues.listForRepo({ ...REPO, creator: 'tester[bot]', state: 'all' })
  return data
    .filter(({ pull_request }) => pull_request === undefined)
    .map(({ number, state }) => `${number} ${state}`)
}

/** Reconciles repeatedly, also as another process. */
async function reconcileRepeatedly(scene: TestApp): Promise<void> {
  const look = async (): Promise<void> => {
    await scene.app.app.watch()
    await scene.app.app.settled()
  }
  await look()
  await scene.restart()
  await look()
  await look()
}

it('tries a start again that only GitHub refuses, without a word, until it succeeds', async () => {
  const scene = await aScene({ limits: LIMITS })
  const { box } = scene
  // No rule that a look at the repository finds: it names the runner branches, and not the state's.
  const { repos } = box.as('olivia').rest
  const { data } = await repos.createRepoRuleset({
    ...REPO,
    name: 'no runners',
    enforcement: 'active',
    target: 'branch',
    conditions: { ref_name: { include: ['refs/heads/loreley/runner/*'], exclude: [] } },
    rules: [{ type: 'creation' }],
  })
  const issue = await label(box)
  await expect.poll(() => complaints(box), PATIENCE).toEqual(['2 open'])
  await expect.poll(() => answersOn(box, issue), PATIENCE).toHaveLength(1)
  await reconcileRepeatedly(scene)
  expect(await complaints(box)).toEqual(['2 open'])
  expect(await answersOn(box, issue)).toEqual([expect.stringContaining('GitHub refused the branch')])

  await repos.deleteRepoRuleset({ ...REPO, ruleset_id: data.id })
  await scene.app.app.watch()
  await awaitPhase(box, 'finished')
  await expect.poll(() => complaints(box), PATIENCE).toEqual(['2 closed'])
}, 240_000)

it('leaves an issue closed that somebody closed unmended, until somebody asks again', async () => {
  const scene = await aScene({ limits: LIMITS })
  const { box } = scene
  await commitFile(box, WORKFLOW_PATH, undefined)
  await scene.quiet()
  const issue = await label(box)
  await expect.poll(() => complaints(box), PATIENCE).toEqual(['2 open'])
  await expect.poll(() => answersOn(box, issue), PATIENCE).toHaveLength(1)
  await scene.quiet()
  const { issues } = box.as('wendy').rest
  await issues.update({ ...REPO, issue_number: 2, state: 'closed' })
  await reconcileRepeatedly(scene)
  expect(await complaints(box)).toEqual(['2 closed'])
  expect(await answersOn(box, issue)).toHaveLength(1)

  const place = { ...REPO, issue_number: issue }
  const { data } = await issues.listComments(place)
  const answeredAt = Date.parse(data[0]?.created_at ?? '')
  await expect.poll(() => Date.now(), PATIENCE).toBeGreaterThan(answeredAt + 1000)
  await issues.removeLabel({ ...place, name: 'loreley' })
  await issues.addLabels({ ...place, labels: ['loreley'] })
  await expect.poll(() => complaints(box), PATIENCE).toEqual(['2 open'])
  await expect.poll(() => answersOn(box, issue), PATIENCE).toHaveLength(2)

  await commitFile(box, WORKFLOW_PATH, WORKFLOW)
  await awaitPhase(box, 'finished')
  expect(await complaints(box)).toEqual(['2 closed'])
}, 240_000)
