import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { removeCampaign, removeWork } from '../../src/local/clean.ts'
import { acquireLock } from '../../src/local/lock.ts'
import { placesOf } from '../../src/local/places.ts'
import { keepRef } from '../../src/store/layout.ts'
import { openGit } from '../../src/store/open-git.ts'
import { aCampaign, aConfig } from '../support/builders.ts'
import { aFolder, aRepository, git, gitEnvironment } from '../support/repository.ts'

async function aScene() {
  const folder = aRepository()
  const opened = await openGit(folder, gitEnvironment)
  onTestFinished(() => opened.close())
  const change = {
    state: aCampaign(),
    config: aConfig(),
    pages: new Map(),
    subject: 'begin',
    at: new Date(0),
  }
  await opened.store.commit(undefined, change)
  git(folder, 'update-ref', keepRef('demo', 0), 'HEAD')
  const places = placesOf(opened.repository, aFolder(), 'demo')
  mkdirSync(join(places.work, '1-1'), { recursive: true })
  return { folder, opened, places }
}

describe('cleaning up after a campaign', () => {
  it('removes its folders and leaves what is in git', async () => {
    const { opened, places } = await aScene()
    await removeWork(places, 'demo')
    expect(existsSync(places.campaign)).toBe(false)
    expect(await opened.store.list()).toEqual(['demo'])
  })

  it('removes refs and state on demand, and does not mind doing it twice', async () => {
    const { folder, opened, places } = await aScene()
    expect(await removeCampaign(opened, places, 'demo')).toBe(1)
    expect(await opened.store.list()).toEqual([])
    expect(git(folder, 'for-each-ref', 'refs/loreley')).toBe('')
    expect(await removeCampaign(opened, places, 'demo')).toBe(0)
  })

  it('keeps the state when a ref cannot be removed, so that it can be tried again', async () => {
    const { folder, opened, places } = await aScene()
    writeFileSync(join(folder, '.git', `${keepRef('demo', 0)}.lock`), '')
    await expect(removeCampaign(opened, places, 'demo')).rejects.toMatchObject({ code: 'git-failed' })
    expect(await opened.store.list()).toEqual(['demo'])
  })

  it('is refused while the campaign runs', async () => {
    const { opened, places } = await aScene()
    const lock = await acquireLock(places.lock, 'demo')
    onTestFinished(() => lock.release())
    await expect(removeWork(places, 'demo')).rejects.toMatchObject({ code: 'campaign-busy' })
    await expect(removeCampaign(opened, places, 'demo')).rejects.toMatchObject({ code: 'campaign-busy' })
    expect(existsSync(places.work)).toBe(true)
  })
})
