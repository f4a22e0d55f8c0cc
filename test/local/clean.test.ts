import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { removeCampaign, removeWork } from '../../src/local/clean.ts'
import { localFolders } from '../../src/local/local-folders.ts'
import { acquireLock } from '../../src/local/lock.ts'
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
  const folders = localFolders(opened.repository, aFolder(), 'demo')
  mkdirSync(join(folders.workspaces, '1-1'), { recursive: true })
  return { folder, opened, folders }
}

describe('cleaning up after a campaign', () => {
  it('clean removes the folders and leaves what is in git', async () => {
    const { opened, folders } = await aScene()
    await removeWork(folders, 'demo')
    expect(existsSync(folders.campaign)).toBe(false)
    expect(await opened.store.list()).toEqual(['demo'])
  })

  it('clean removes refs and state on demand, and may do so twice', async () => {
    const { folder, opened, folders } = await aScene()
    expect(await removeCampaign(opened, folders, 'demo')).toBe(1)
    expect(await opened.store.list()).toEqual([])
    expect(git(folder, 'for-each-ref', 'refs/loreley')).toBe('')
    expect(await removeCampaign(opened, folders, 'demo')).toBe(0)
  })

  it('clean keeps the state when a ref cannot be removed, so that a second try can finish', async () => {
    const { folder, opened, folders } = await aScene()
    writeFileSync(join(folder, '.git', `${keepRef('demo', 0)}.lock`), '')
    await expect(removeCampaign(opened, folders, 'demo')).rejects.toMatchObject({ code: 'git-failed' })
    expect(await opened.store.list()).toEqual(['demo'])
  })

  it('clean is refused while the campaign runs', async () => {
    const { opened, folders } = await aScene()
    const lock = await acquireLock(folders.lock, 'demo')
    onTestFinished(() => lock.release())
    await expect(removeWork(folders, 'demo')).rejects.toMatchObject({ code: 'campaign-busy' })
    await expect(removeCampaign(opened, folders, 'demo')).rejects.toMatchObject({ code: 'campaign-busy' })
    expect(existsSync(folders.workspaces)).toBe(true)
  })
})
