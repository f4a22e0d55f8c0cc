import { mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { EliteBranches } from '../../src/local/elite-branches.ts'
import type { EliteNamespace } from '../../src/store/layout.ts'
import { type OpenGit, openGit } from '../../src/store/open-git.ts'
import { aCampaign, anArchive, anElite } from '../support/builders.ts'
import { aRepository, git, gitEnvironment } from '../support/repository.ts'

const FIRST = 'refs/heads/loreley/elite/demo/main/0-0'
const SECOND = 'refs/heads/loreley/elite/demo/main/3-3'

interface Scene {
  readonly folder: string
  readonly opened: OpenGit
  readonly commits: readonly [string, string]
  open(place?: EliteNamespace): EliteBranches
  branches(): string[]
}

async function aScene(): Promise<Scene> {
  const folder = aRepository()
  git(folder, 'commit', '-q', '--allow-empty', '-m', 'second')
  const opened = await openGit(folder, gitEnvironment)
  onTestFinished(() => opened.close())
  return {
    folder,
    opened,
    commits: [git(folder, 'rev-parse', 'HEAD~'), git(folder, 'rev-parse', 'HEAD')],
    open: (place = 'branches') =>
      new EliteBranches(opened.repository, opened.refs, { campaign: 'demo', place }),
    branches: () =>
      git(folder, 'for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads/loreley', 'refs/loreley')
        .split('\n')
        .filter(Boolean),
  }
}

function stateOf(first: string | undefined, second: string | undefined) {
  const archive = anArchive([
    ...(first === undefined ? [] : [anElite({ ordinal: 1, commit: first, descriptor: [0, 0] })]),
    ...(second === undefined ? [] : [anElite({ ordinal: 2, commit: second, descriptor: [1, 1] })]),
  ])
  return { ...aCampaign(), archive }
}

describe('elite branches', () => {
  it('follow the archive: new ones, moved ones, and none where there is no elite', async () => {
    const { open, branches, commits } = await aScene()
    const [a, b] = commits
    const elites = open()
    expect(await elites.reconcile(stateOf(a, a))).toEqual(new Map())
    expect(branches()).toEqual([`${FIRST} ${a}`, `${SECOND} ${a}`])
    await elites.reconcile(stateOf(a, b))
    expect(branches()).toEqual([`${FIRST} ${a}`, `${SECOND} ${b}`])
    // A start after a crash finds what is there, and mends it.
    await open().reconcile(stateOf(b, undefined))
    expect(branches()).toEqual([`${FIRST} ${b}`])
  })

  it('move where the config wants them, and leave nothing behind', async () => {
    const { open, branches, commits } = await aScene()
    const [a, b] = commits
    await open().reconcile(stateOf(a, b))
    await open('hidden').reconcile(stateOf(a, b))
    expect(branches()).toEqual([
      `refs/loreley/elite/demo/main/0-0 ${a}`,
      `refs/loreley/elite/demo/main/3-3 ${b}`,
    ])
    await open().reconcile(stateOf(a, b))
    expect(branches()).toEqual([`${FIRST} ${a}`, `${SECOND} ${b}`])
  })

  it('go back to what the archive says when somebody has moved or deleted one', async () => {
    const { open, branches, commits, folder } = await aScene()
    const [a, b] = commits
    const elites = open()
    await elites.reconcile(stateOf(a, a))
    git(folder, 'update-ref', FIRST, b)
    git(folder, 'update-ref', '-d', SECOND)
    await elites.reconcile(stateOf(b, b))
    expect(branches()).toEqual([`${FIRST} ${b}`, `${SECOND} ${b}`])
  })

  it('are written although one of them cannot be', async () => {
    const { open, branches, commits, folder } = await aScene()
    const [a] = commits
    const lock = join(folder, '.git', `${FIRST}.lock`)
    mkdirSync(dirname(lock), { recursive: true })
    writeFileSync(lock, '')
    const elites = open()
    const unpublished = await elites.reconcile(stateOf(a, a))
    expect([...unpublished.keys()]).toEqual([FIRST])
    expect(branches()).toEqual([`${SECOND} ${a}`])
    rmSync(lock)
    expect(await elites.reconcile(stateOf(a, a))).toEqual(new Map())
    expect(branches()).toHaveLength(2)
  })

  it('stay where they are while somebody has them checked out', async () => {
    const { open, branches, commits, folder } = await aScene()
    const [a, b] = commits
    const elites = open()
    await elites.reconcile(stateOf(a, a))
    git(folder, 'switch', '-q', FIRST.replace('refs/heads/', ''))
    const unpublished = await elites.reconcile(stateOf(b, b))
    expect([...unpublished]).toEqual([[FIRST, `it is checked out in ${realpathSync(folder)}`]])
    expect(branches()).toEqual([`${FIRST} ${a}`, `${SECOND} ${b}`])
    expect(git(folder, 'status', '--porcelain')).toBe('')
    git(folder, 'switch', '-q', 'main')
    await elites.reconcile(stateOf(b, b))
    expect(branches()).toEqual([`${FIRST} ${b}`, `${SECOND} ${b}`])
  })
})
