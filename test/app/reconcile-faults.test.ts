import { expect, it } from 'vitest'
import { RepositoryReconciler } from '../../src/app/reconcile/repository-reconciler.ts'
import { PRODUCTION_SETTINGS } from '../../src/app/server/settings.ts'
import { aRepository, type TestRepository } from './a-repository.ts'
import { label } from './support.ts'

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
