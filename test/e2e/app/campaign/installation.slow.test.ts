import { expect, it } from 'vitest'
import { label } from '../../../app/support.ts'
import { REPO } from '../../../sandbox/support.ts'
import {
  aConfigFile,
  aScene,
  ask,
  awaitPhase,
  commitFile,
  complaintsOf,
  PATIENCE,
  stateOf,
} from '../../app-scene.ts'

const LIMITS = { limits: 'candidates: 3, parallel: 1' }

it('rests while the installation is suspended, and carries on after', async () => {
  const { box, runner } = await aScene(LIMITS)
  runner.holdAfter = 1
  await label(box)
  await expect.poll(() => runner.heldRuns.length, PATIENCE).toBe(1)
  const { apps } = box.app().rest
  const [installed] = (await apps.listInstallations()).data
  const place = { installation_id: installed?.id ?? 0 }
  await apps.suspendInstallation(place)
  runner.release()
  await runner.idle()
  await box.settled()
  expect((await stateOf(box))?.finished).toBe(0)
  await apps.unsuspendInstallation(place)
  await awaitPhase(box, 'finished')
  expect((await stateOf(box))?.finished).toBe(3)
}, 180_000)

it('writes nothing while a campaign is paused, however long that is', async () => {
  const { box, app, clock, quiet } = await aScene({ limits: 'candidates: 4, parallel: 1, checkpoint: 1' })
  await label(box)
  await awaitPhase(box, 'paused')
  await quiet()
  await app.app.watch()
  await quiet()
  const head = async () =>
    (await box.as('rita').rest.git.getRef({ ...REPO, ref: 'heads/loreley/state' })).data.object.sha
  const before = await head()
  clock.pass(35 * 60_000)
  await app.app.watch()
  await quiet()
  expect(await head()).toBe(before)
}, 180_000)

it('says nothing more when it is uninstalled', async () => {
  const { box, runner, app } = await aScene(LIMITS)
  runner.holdAfter = 1
  await label(box)
  await expect.poll(() => runner.heldRuns.length, PATIENCE).toBe(1)
  const [installed] = (await box.app().rest.apps.listInstallations()).data
  await box.app().rest.apps.deleteInstallation({ installation_id: installed?.id ?? 0 })
  runner.release()
  await runner.idle()
  await box.settled()
  await app.app.settled()
  await app.app.watch()
  expect((await stateOf(box))?.finished).toBe(0)
}, 180_000)

it('follows a repository that is renamed, and its default branch', async () => {
  const { box, runner } = await aScene(LIMITS)
  runner.holdAfter = 1
  const issue = await label(box)
  await expect.poll(() => runner.heldRuns.length, PATIENCE).toBe(1)
  const olivia = box.as('olivia').rest
  const main = await olivia.git.getRef({ ...REPO, ref: 'heads/main' })
  await olivia.git.createRef({ ...REPO, ref: 'refs/heads/trunk', sha: main.data.object.sha })
  await olivia.repos.update({ ...REPO, default_branch: 'trunk' })
  await commitFile(box, '.loreley.yml', 'nonsense: true\n', 'trunk')
  await expect.poll(() => complaintsOf(box), PATIENCE).toHaveLength(1)
  await commitFile(box, '.loreley.yml', aConfigFile('candidates: 2, parallel: 1'), 'trunk')
  await expect.poll(() => complaintsOf(box), PATIENCE).toEqual([])
  await expect.poll(() => ask(box, 'wendy', issue, '/loreley status'), PATIENCE).toContain('of 2 candidates')
  await olivia.repos.update({ ...REPO, name: 'renamed' })
  runner.release()
  const renamed = { owner: REPO.owner, repo: 'renamed' }
  const pulls = async () => (await box.as('rita').rest.pulls.list(renamed)).data
  await expect.poll(pulls, PATIENCE).toMatchObject([{ base: { ref: 'trunk' } }])
  const words = async () => {
    const { data } = await box.as('rita').rest.issues.listComments({ ...renamed, issue_number: issue })
    return data.map(({ body }) => body).join()
  }
  await expect.poll(words, PATIENCE).toContain('Finished after 2 candidates')
}, 180_000)

it('rests while the repository is archived, and carries on after', async () => {
  const { box, runner } = await aScene(LIMITS)
  runner.holdAfter = 1
  const issue = await label(box)
  await expect.poll(() => runner.heldRuns.length, PATIENCE).toBe(1)
  const olivia = box.as('olivia').rest
  await olivia.repos.update({ ...REPO, archived: true })
  runner.release()
  await runner.idle()
  await box.settled()
  expect((await stateOf(box))?.finished).toBe(0)
  await olivia.repos.update({ ...REPO, archived: false })
  await awaitPhase(box, 'finished')
  expect(await ask(box, 'wendy', issue, '/loreley status')).toContain('Finished after 3 candidates')
}, 180_000)
