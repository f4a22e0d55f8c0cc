import { expect, it } from 'vitest'
import { install } from '../../../src/sandbox/apps/installation-routes.ts'
import { NO_FAULTS } from '../../../src/sandbox/settings.ts'
import { repositories } from '../../../src/sandbox/state/documents.ts'
import { findRepository, getUser } from '../../../src/sandbox/state/lookups.ts'
import { REPO, type TestBox } from '../../sandbox/support.ts'
import { anApp, awaitComment, label } from '../support.ts'

const SOON = { timeout: 60_000, interval: 100 }

async function installationOf(box: TestBox): Promise<number> {
  const [installed] = (await box.app().rest.apps.listInstallations()).data
  return installed?.id ?? 0
}

it('the app is ready from the first reconcile that GitHub answers until it stops', async () => {
  const scene = await anApp({ settings: { reconcileMs: 200, fullReconcileMs: 0 } })
  const { box, restart } = scene
  const ready = async () => (await fetch(`http://127.0.0.1:${scene.app.port}/ready`)).status
  expect(await ready()).toBe(200)
  // As with a wrong key: none of its own requests is answered.
  box.settings.faults = { ...NO_FAULTS, failBefore: 1 }
  await restart()
  expect(await ready()).toBe(503)
  box.settings.faults = NO_FAULTS
  await expect.poll(ready, SOON).toBe(200)
  await scene.app.app.stop()
  expect(await ready()).toBe(503)
}, 120_000)

it('forgets a repository that was taken out of the installation, and begins when it is put back', async () => {
  const { box, app, quiet } = await anApp()
  await quiet()
  const target = { installation_id: await installationOf(box), repository_id: 1 }
  const owner = box.as('olivia').rest.apps
  await owner.removeRepoFromInstallationForAuthenticatedUser(target)
  await quiet()
  await app.app.watch()
  await quiet()
  const metrics = await (await fetch(`http://127.0.0.1:${app.port}/metrics`)).text()
  expect(metrics).not.toContain('loreley_failures_total{')
  await owner.addRepoToInstallationForAuthenticatedUser(target)
  await quiet()
  await awaitComment(box, await label(box), 'Finished after 6 candidates')
}, 180_000)

it('serves an account that installs it while it runs', async () => {
  const { box, quiet } = await anApp()
  const appId = box.apps[0]?.id ?? 0
  await box.app().rest.apps.deleteInstallation({ installation_id: await installationOf(box) })
  await quiet()
  const issue = await label(box)
  await quiet()
  const sender = getUser(box.box.store, 'olivia')
  await install(box.box, { appId, account: REPO.owner, repositories: 'all', sender })
  // It finds the label that nobody told it of.
  await awaitComment(box, issue, 'Finished after 6 candidates')
}, 180_000)

it('follows a repository that is transferred to another account that has it', async () => {
  const { box, runner } = await anApp()
  runner.holdAfter = 1
  const issue = await label(box)
  await expect.poll(() => runner.heldRuns.length, SOON).toBe(2)
  const repo = findRepository(box.box.store, REPO.owner, REPO.repo)
  if (repo === undefined) throw new Error('the box has no repository')
  repositories(box.box.store).put(repo.id, { ...repo, owner: 'olivia' })
  const sender = getUser(box.box.store, 'olivia')
  await install(box.box, { appId: box.apps[0]?.id ?? 0, account: 'olivia', repositories: 'all', sender })
  runner.release()
  const words = async () => {
    const place = { owner: 'olivia', repo: REPO.repo, issue_number: issue }
    const { data } = await box.as('rita').rest.issues.listComments(place)
    return data.map(({ body }) => body).join()
  }
  await expect.poll(words, SOON).toContain('Finished after 6 candidates')
}, 180_000)
