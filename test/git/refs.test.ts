import { chmodSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ObjectStore } from '../../src/git/objects/object-store.ts'
import { inspectRefs, RefWriter } from '../../src/git/refs.ts'
import { findCommit, findRef, listRefs, openRepository } from '../../src/git/repository.ts'
import { aFolder, aRepository, git, gitEnvironment, writeFiles } from '../support/repository.ts'

async function refsOf(folder: string): Promise<RefWriter> {
  const refs = new RefWriter(await openRepository(folder, gitEnvironment))
  onTestFinished(() => refs.close())
  return refs
}

describe('RefWriter', () => {
  it('changes several refs together, or none of them', async () => {
    const folder = aRepository()
    const refs = await refsOf(folder)
    const head = git(folder, 'rev-parse', 'HEAD')
    const create = { ref: 'refs/loreley/a', to: head, from: 'absent' }
    expect(await refs.apply([create])).toEqual({ status: 'applied' })
    const refused = await refs.apply([{ ref: 'refs/loreley/b', to: head, from: 'absent' }, create])
    expect(refused.status).toBe('refused')
    expect(git(folder, 'for-each-ref', '--format=%(refname)', 'refs/loreley')).toBe('refs/loreley/a')
  })

  it('goes on after a refusal', async () => {
    const folder = aRepository()
    const refs = await refsOf(folder)
    const head = git(folder, 'rev-parse', 'HEAD')
    const change = { ref: 'refs/loreley/a', to: head, from: 'absent' }
    await refs.apply([change])
    await refs.apply([change])
    expect(await refs.apply([{ ref: 'refs/loreley/a', to: undefined, from: head }])).toEqual({
      status: 'applied',
    })
    expect(await refs.apply([change])).toEqual({ status: 'applied' })
  })

  it('starts no hook of the repository', async () => {
    const folder = aRepository()
    writeFiles(folder, { '.git/hooks/reference-transaction': '#!/bin/sh\nexit 1\n' })
    chmodSync(join(folder, '.git/hooks/reference-transaction'), 0o755)
    const refs = await refsOf(folder)
    const head = git(folder, 'rev-parse', 'HEAD')
    expect(await refs.apply([{ ref: 'refs/loreley/a', to: head, from: 'absent' }])).toEqual({
      status: 'applied',
    })
  })
})

describe('inspectRefs', () => {
  it('lists the refs of several prefixes, each with the work tree that has it checked out', async () => {
    const folder = aRepository()
    const tree = join(realpathSync(aFolder()), 'a tree')
    git(folder, 'worktree', 'add', '-q', '-b', 'one/used', tree)
    git(folder, 'branch', 'one/free')
    git(folder, 'update-ref', 'refs/loreley/two/x', 'HEAD')
    const id = git(folder, 'rev-parse', 'HEAD')
    const found = await inspectRefs(await openRepository(folder, gitEnvironment), [
      'refs/heads/one/',
      'refs/loreley/two/',
    ])
    expect(Object.fromEntries(found)).toEqual({
      'refs/heads/one/free': { id, checkedOutIn: undefined },
      'refs/heads/one/used': { id, checkedOutIn: tree },
      'refs/loreley/two/x': { id, checkedOutIn: undefined },
    })
  })
})

describe('openRepository', () => {
  it('finds objects and refs from a worktree, a subfolder and a bare repository', async () => {
    const folder = aRepository({ 'sub/file': 'x' })
    git(folder, 'worktree', 'add', '-q', '--detach', join(aFolder(), 'tree'))
    const worktree = git(folder, 'worktree', 'list', '--porcelain')
      .split('\n')
      .filter((line) => line.startsWith('worktree '))[1]
    const bare = join(aFolder(), 'bare.git')
    git(folder, 'clone', '-q', '--bare', folder, bare)
    for (const place of [join(folder, 'sub'), worktree?.slice('worktree '.length) ?? '', bare]) {
      const repository = await openRepository(place, gitEnvironment)
      expect(await findCommit(repository, 'HEAD')).toBe(git(folder, 'rev-parse', 'HEAD'))
      expect((await listRefs(repository, 'refs/heads/')).get('refs/heads/main')).toBe(
        git(folder, 'rev-parse', 'main'),
      )
      expect(await findRef(repository, 'refs/heads/none')).toBeUndefined()
    }
  })

  it('finds no commit when HEAD is unborn', async () => {
    const folder = aFolder()
    git(folder, 'init', '-q')
    expect(await findCommit(await openRepository(folder, gitEnvironment), 'HEAD')).toBeUndefined()
  })

  it('says that a folder is not a repository', async () => {
    await expect(openRepository(aFolder(), gitEnvironment)).rejects.toMatchObject({
      code: 'not-a-repository',
    })
  })
})

describe('a git process that stays open', () => {
  it.skipIf(process.platform !== 'linux')('an open git process does not get our Ctrl-C', async () => {
    const objects = new ObjectStore(await openRepository(aRepository(), gitEnvironment))
    onTestFinished(() => objects.close())
    await objects.find('HEAD')
    const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ')
    const fields = (pid: string) =>
      readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')
    const groups = children
      .filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('cat-file'))
      .map((pid) => fields(pid)[2])
    expect(groups).toHaveLength(1)
    expect(groups).not.toContain(fields(`${process.pid}`)[2])
  })
})
