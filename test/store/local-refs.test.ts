import { mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CampaignState } from '../../src/core/campaign/campaign.ts'
import type { UnpublishedRef } from '../../src/store/state-store.ts'
import { aCampaign, aConfig, anArchive, anElite, aResult } from '../support/builders.ts'
import { begun, finished, step } from '../support/campaign-steps.ts'
import { aRepository, git } from '../support/repository.ts'
import { aChange, aStore } from '../support/store.ts'

const FIRST = 'refs/heads/loreley/elite/demo/main/0-0'
const SECOND = 'refs/heads/loreley/elite/demo/main/3-3'

interface Scene {
  readonly folder: string
  readonly commits: readonly [string, string]
  /** A store as another process opens it, which commits states one after the other. */
  open(refs?: 'branches' | 'hidden'): Promise<(state: CampaignState) => Promise<readonly UnpublishedRef[]>>
  branches(): string[]
}

async function aScene(): Promise<Scene> {
  const folder = aRepository()
  git(folder, 'commit', '-q', '--allow-empty', '-m', 'second')
  const listed = (...prefixes: string[]): string[] =>
    git(folder, 'for-each-ref', '--format=%(refname) %(objectname)', ...prefixes)
      .split('\n')
      .filter(Boolean)
  return {
    folder,
    commits: [git(folder, 'rev-parse', 'HEAD~'), git(folder, 'rev-parse', 'HEAD')],
    open: async (refs = 'branches') => {
      const store = await aStore(folder)
      const config = { ...aConfig(), archive: { ...aConfig().archive, refs } }
      return async (state) => {
        const base = (await store.load('demo'))?.revision
        const outcome = await store.commit(base, aChange(state, config))
        if (outcome.status === 'conflict') throw new Error('the commit met a conflict')
        return outcome.unpublished
      }
    },
    branches: () => listed('refs/heads/loreley/elite', 'refs/loreley/elite'),
  }
}

function stateOf(first: string | undefined, second: string | undefined) {
  const archive = anArchive([
    ...(first === undefined ? [] : [anElite({ ordinal: 1, commit: first, descriptor: [0, 0] })]),
    ...(second === undefined ? [] : [anElite({ ordinal: 2, commit: second, descriptor: [1, 1] })]),
  ])
  return { ...aCampaign(), archive }
}

describe('the local store', () => {
  it('moves elite branches with the archive: new ones, moved ones, and none where there is no elite', async () => {
    const { open, branches, commits } = await aScene()
    const [a, b] = commits
    const publish = await open()
    expect(await publish(stateOf(a, a))).toEqual([])
    expect(branches()).toEqual([`${FIRST} ${a}`, `${SECOND} ${a}`])
    await publish(stateOf(a, b))
    expect(branches()).toEqual([`${FIRST} ${a}`, `${SECOND} ${b}`])
    // A start after a crash finds what is there, and mends it.
    await (await open())(stateOf(b, undefined))
    expect(branches()).toEqual([`${FIRST} ${b}`])
  })

  it('moves elite refs to the namespace that the config names, and leaves nothing behind', async () => {
    const { open, branches, commits } = await aScene()
    const [a, b] = commits
    await (await open())(stateOf(a, b))
    await (await open('hidden'))(stateOf(a, b))
    expect(branches()).toEqual([
      `refs/loreley/elite/demo/main/0-0 ${a}`,
      `refs/loreley/elite/demo/main/3-3 ${b}`,
    ])
    await (await open())(stateOf(a, b))
    expect(branches()).toEqual([`${FIRST} ${a}`, `${SECOND} ${b}`])
  })

  it('restores elite branches that somebody has moved or deleted', async () => {
    const { open, branches, commits, folder } = await aScene()
    const [a, b] = commits
    const publish = await open()
    await publish(stateOf(a, a))
    git(folder, 'update-ref', FIRST, b)
    git(folder, 'update-ref', '-d', SECOND)
    await publish(stateOf(b, b))
    expect(branches()).toEqual([`${FIRST} ${b}`, `${SECOND} ${b}`])
  })

  it('writes the other elite branches when one of them cannot be written', async () => {
    const { open, branches, commits, folder } = await aScene()
    const [a] = commits
    const lock = join(folder, '.git', `${FIRST}.lock`)
    mkdirSync(dirname(lock), { recursive: true })
    writeFileSync(lock, '')
    const publish = await open()
    const unpublished = await publish(stateOf(a, a))
    expect(unpublished).toEqual([{ ref: FIRST, commit: a, reason: 'refused', detail: expect.any(String) }])
    expect(branches()).toEqual([`${SECOND} ${a}`])
    rmSync(lock)
    expect(await publish(stateOf(a, a))).toEqual([])
    expect(branches()).toHaveLength(2)
  })

  it('leaves an elite branch where it is while somebody has it checked out', async () => {
    const { open, branches, commits, folder } = await aScene()
    const [a, b] = commits
    const publish = await open()
    await publish(stateOf(a, a))
    git(folder, 'switch', '-q', FIRST.replace('refs/heads/', ''))
    const unpublished = await publish(stateOf(b, b))
    const detail = `it is checked out in ${realpathSync(folder)}`
    expect(unpublished).toEqual([{ ref: FIRST, commit: b, reason: 'refused', detail }])
    expect(branches()).toEqual([`${FIRST} ${a}`, `${SECOND} ${b}`])
    expect(git(folder, 'status', '--porcelain')).toBe('')
    git(folder, 'switch', '-q', 'main')
    await publish(stateOf(b, b))
    expect(branches()).toEqual([`${FIRST} ${b}`, `${SECOND} ${b}`])
  })

  it('holds a measured candidate by a keep ref in the same step as the state that names it', async () => {
    const { open, commits, folder } = await aScene()
    const [a, b] = commits
    const publish = await open()
    const begin = begun(aCampaign(), aResult(0, { commit: a }))
    await publish(begin)
    // One that is admitted, and one that waits for its turn.
    await publish(
      step(begin, finished(1, aResult(1, { commit: b })), finished(3, aResult(3, { commit: b }))).state,
    )
    const kept = git(folder, 'for-each-ref', '--format=%(refname) %(objectname)', 'refs/loreley/keep')
    const refOf = (ordinal: number): string => `refs/loreley/keep/demo/000${ordinal}`
    expect(kept.split('\n')).toEqual([`${refOf(0)} ${a}`, `${refOf(1)} ${b}`, `${refOf(3)} ${b}`])
  })

  it('does not move the state when a keep ref cannot be written', async () => {
    const { open, commits, folder } = await aScene()
    const [a] = commits
    const publish = await open()
    const start = aCampaign()
    await publish(start)
    const before = git(folder, 'rev-parse', 'loreley/state')
    mkdirSync(join(folder, '.git/refs/loreley/keep/demo'), { recursive: true })
    writeFileSync(join(folder, '.git/refs/loreley/keep/demo/0000.lock'), '')
    const publishing = publish(begun(start, aResult(0, { commit: a })))
    await expect(publishing).rejects.toMatchObject({ code: 'state-refused' })
    expect(git(folder, 'rev-parse', 'loreley/state')).toBe(before)
  })

  it('commits a state whose commits the repository lacks, and says which refs it stands without', async () => {
    const { open, branches, folder } = await aScene()
    const publish = await open()
    const unpublished = await publish(begun(aCampaign()))
    expect(unpublished.map(({ detail }) => detail)).toEqual([
      'its commit is not in this repository',
      'its commit is not in this repository',
    ])
    expect(branches()).toEqual([])
    expect(git(folder, 'rev-parse', 'loreley/state')).toMatch(/^[0-9a-f]{40}$/)
  })
})
