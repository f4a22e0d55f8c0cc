import { expect, it } from 'vitest'
import type { Evidence, RepositoryEvent } from '../../../src/app/reconcile/evidence.ts'
import { RepositoryReconciler } from '../../../src/app/reconcile/repository-reconciler.ts'
import { PRODUCTION_SETTINGS } from '../../../src/app/server/settings.ts'
import { LoreleyError } from '../../../src/errors.ts'
import { dashboardOn, tickBox } from '../../e2e/app-scene.ts'
import { REPO } from '../../sandbox/support.ts'
import { load } from '../../support/store.ts'
import { aRepository, type TestRepository } from '../a-repository.ts'
import { label } from '../support.ts'

const DISPATCH = 'POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches'
const ISSUE = 'GET /repos/{owner}/{repo}/issues/{issue_number}'
const WENDY = { login: 'wendy', isBot: false }

/** A process that has just started, with production's settings. */
function aServer({ tools }: TestRepository): RepositoryReconciler {
  return new RepositoryReconciler({ ...tools, settings: PRODUCTION_SETTINGS })
}

it('a full reconcile that could not read the campaigns is tried again at the next reconcile', async () => {
  const repository = await aRepository()
  const { github, tools } = repository
  const { clock, store } = tools
  const folders = store.folders.bind(store)
  const server = aServer(repository)
  await label(github.box)
  store.folders = async () => {
    throw new Error('GitHub is down')
  }
  await expect(server.reconcile()).rejects.toThrow('GitHub is down')
  expect(server.outlook.nextAt, 'it does not ask for the next call at once').toBeGreaterThan(clock.now())
  store.folders = folders
  await clock.sleep(PRODUCTION_SETTINGS.reconcileMs)
  await server.reconcile()
  expect(await store.list()).toEqual(['default-1'])
})

async function labelled({ github }: TestRepository): Promise<RepositoryEvent> {
  const number = await label(github.box)
  const words = { title: 'Faster, please', body: 'Try hard.' }
  return { type: 'labelled', issue: { number, ...words, isPull: false }, label: 'loreley' }
}

it('a label that fails keeps no other waiting, and it alone counts as failed', async () => {
  const repository = await aRepository()
  const { host, tools } = repository
  const { permissions } = tools
  const canWrite = permissions.canWrite.bind(permissions)
  permissions.canWrite = async (login) => {
    if (login === 'olivia') throw new Error('GitHub is down')
    return await canWrite(login)
  }
  const [first, second] = [await labelled(repository), await labelled(repository)]
  const told = host.reconcile([
    { event: first, sender: { login: 'olivia', isBot: false } },
    { event: second, sender: WENDY },
  ])
  await expect(told).rejects.toThrow('GitHub is down')
  expect(await tools.store.list()).toEqual(['default-2'])
  expect(host.failed).toEqual([first])
})

/** Wendy ticks a box of the dashboard on issue 1. Returns what its webhook says. */
async function ticked({ github }: TestRepository, box: string): Promise<Evidence> {
  const { id: comment, body: before } = await dashboardOn(github.box, 1)
  await tickBox(github.box, 'wendy', 1, box)
  const { body } = await dashboardOn(github.box, 1)
  const issue = { number: 1, title: 'Faster, please', body: 'Try hard.', isPull: false }
  const event = { type: 'comment-edited', issue, comment, author: 'tester[bot]', before, body } as const
  return { event, sender: WENDY }
}

it('a tick that one process has obeyed is not obeyed by another whose webhook comes late', async () => {
  const repository = await aRepository()
  const { github, host, tell, tools } = repository
  await tell(await labelled(repository), WENDY)
  const tick = await ticked(repository, 'pause')
  await host.reconcile([tick])
  const phase = async () => (await load(github.store(), 'default-1')).state.campaign.status.phase
  expect(await phase()).toBe('paused')
  await tickBox(github.box, 'wendy', 1, 'resume')
  const other = new RepositoryReconciler(tools)
  await other.reconcile([])
  expect(await phase(), 'the other process finds the next tick').toBe('baseline')
  await other.reconcile([tick, tick])
  expect(await phase()).toBe('baseline')
})

it('a tick and the command after it are obeyed in the order of their arrival', async () => {
  const repository = await aRepository()
  const { github, host, tell } = repository
  const start = await labelled(repository)
  await tell(start, WENDY)
  const issue = { number: 1, title: 'Faster, please', body: 'Try hard.', isPull: false }
  const body = '/loreley resume'
  const { issues } = github.box.as('wendy').rest
  const { data } = await issues.createComment({ ...REPO, issue_number: 1, body })
  const tick = await ticked(repository, 'pause')
  await host.reconcile([tick, { event: { type: 'commented', issue, comment: data.id, body }, sender: WENDY }])
  const { state } = await load(github.store(), 'default-1')
  expect(state.campaign.status).toMatchObject({ phase: 'baseline' })
})

it('a process that was overtaken starts no run', async () => {
  const repository = await aRepository()
  const { github, host, tools, tell, refusals } = repository
  const { store, clock } = tools
  const commit = store.commit.bind(store)
  const runs = async () => (await github.octokit.rest.actions.listWorkflowRunsForRepo(REPO)).data.total_count
  // The job waits because GitHub refuses its run; that is the commit that comes too late.
  refusals.set(DISPATCH, 422)
  let commits = 0
  store.commit = async (...given) => {
    commits += 1
    if (commits < 3) return await commit(...given)
    refusals.clear()
    throw new LoreleyError('state-conflict', 'Another process has taken over.', 'It goes on.')
  }
  await tell(await labelled(repository), WENDY)
  expect([commits, await runs()]).toEqual([3, 0])

  store.commit = commit
  await clock.sleep(tools.settings.reconcileMs)
  await host.reconcile()
  expect(await runs(), 'it starts once the state is known again').toBe(1)
})

it('a label whose issue cannot be read fails, and the next reconcile finds it', async () => {
  const repository = await aRepository()
  const { tools, refusals } = repository
  const server = aServer(repository)
  await server.reconcile()
  const event = await labelled(repository)
  refusals.set(ISSUE, 403)
  const told = server.reconcile([{ event, sender: WENDY }])
  await expect(told).rejects.toMatchObject({ code: 'github-refused' })
  expect(server.failed).toEqual([event])
  refusals.clear()
  await tools.clock.sleep(PRODUCTION_SETTINGS.reconcileMs)
  await server.reconcile()
  expect(await tools.store.list()).toEqual(['default-1'])
})

it('the next reconcile looks for a label that GitHub did not show yet when its webhook came', async () => {
  const repository = await aRepository()
  const { github, tools } = repository
  const server = aServer(repository)
  await server.reconcile()
  const event = await labelled(repository)
  const { issues } = github.box.as('wendy').rest
  const target = { ...REPO, issue_number: 1 }
  await issues.removeLabel({ ...target, name: 'loreley' })
  await server.reconcile([{ event, sender: WENDY }])
  expect(await tools.store.list()).toEqual([])
  await issues.addLabels({ ...target, labels: ['loreley'] })
  await tools.clock.sleep(PRODUCTION_SETTINGS.reconcileMs)
  await server.reconcile()
  expect(await tools.store.list()).toEqual(['default-1'])
})
