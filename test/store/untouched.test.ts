import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { aCampaign } from '../support/builders.ts'
import { begun } from '../support/campaign-steps.ts'
import { aFolder, aRepository, git, writeFiles } from '../support/repository.ts'
import { aStore, commit, load } from '../support/store.ts'

const OURS = [/^\.git\/objects$/, /^\.git\/refs\/heads\/loreley$/]

/** A digest of every file below a folder, but of what a campaign may write. Names are bytes, read as Latin-1. */
function digestsOf(folder: string, below = ''): Map<string, string> {
  const digests = new Map<string, string>()
  const place = (path: string) => Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, 'latin1')])
  for (const name of readdirSync(place(below), { encoding: 'buffer' })) {
    const path = below === '' ? name.toString('latin1') : `${below}/${name.toString('latin1')}`
    const facts = lstatSync(place(path))
    if (OURS.some((ours) => ours.test(path))) continue
    if (facts.isDirectory()) {
      for (const [each, digest] of digestsOf(folder, path)) digests.set(each, digest)
      continue
    }
    const content = facts.isSymbolicLink() ? readlinkSync(place(path)) : readFileSync(place(path))
    digests.set(path, `${facts.mode} ${createHash('sha256').update(content).digest('hex')}`)
  }
  return digests
}

/** Begins a campaign, carries it on, and reads it from a new store. */
async function useStore(folder: string): Promise<void> {
  const store = await aStore(folder)
  const first = await commit(store, undefined, aCampaign())
  await commit(store, first.revision, begun(aCampaign()))
  expect((await load(await aStore(folder))).state.ledger.count).toBe(1)
}

/** Staged, unstaged, untracked and ignored changes, a stash, hooks that fail, and names that are odd. */
function makeDirty(folder: string): void {
  writeFiles(folder, { 'README.md': 'staged\n', 'new file': 'x', '.gitignore': 'ignored\n', ignored: 'x' })
  git(folder, 'stash', 'push', '-q', '--include-untracked')
  git(folder, 'stash', 'apply', '-q')
  git(folder, 'add', 'README.md', 'new file')
  writeFiles(folder, {
    'README.md': 'unstaged\n',
    untracked: 'x',
    '.git/hooks/post-commit': '#!/bin/sh\nexit 1\n',
  })
}

describe('the user’s files, index, HEAD, config and logs', () => {
  it('work tree, index and HEAD stay as they were, byte for byte, in a dirty work tree', async () => {
    const folder = aRepository()
    makeDirty(folder)
    const before = digestsOf(folder)
    const status = git(folder, 'status', '--porcelain', '--ignored')
    await useStore(folder)
    expect(digestsOf(folder)).toEqual(before)
    expect(git(folder, 'status', '--porcelain', '--ignored')).toBe(status)
    expect(git(folder, 'reflog', 'show', '--all')).not.toContain('loreley')
  })

  it('work tree, index and HEAD stay as they were on a detached HEAD', async () => {
    const folder = aRepository()
    git(folder, 'checkout', '-q', '--detach')
    const before = digestsOf(folder)
    await useStore(folder)
    expect(digestsOf(folder)).toEqual(before)
  })

  it('work tree, index and HEAD stay as they were on an unborn HEAD, which may have a state branch too', async () => {
    const folder = aFolder()
    git(folder, 'init', '-q', '-b', 'main')
    writeFiles(folder, { 'staged.txt': 'x' })
    git(folder, 'add', 'staged.txt')
    const before = digestsOf(folder)
    await useStore(folder)
    expect(digestsOf(folder)).toEqual(before)
    expect(git(folder, 'status', '--porcelain')).toBe('A  staged.txt')
  })

  it('work tree, index and HEAD stay as they were in a linked worktree, which shares the state', async () => {
    const folder = aRepository()
    const worktree = join(aFolder(), 'linked')
    git(folder, 'worktree', 'add', '-q', '-b', 'side', worktree)
    writeFiles(worktree, { 'README.md': 'dirty\n' })
    const before = [digestsOf(folder), digestsOf(worktree)]
    await useStore(worktree)
    expect([digestsOf(folder), digestsOf(worktree)]).toEqual(before)
    expect(await (await aStore(folder)).list()).toEqual(['demo'])
  })
})

describe('other repositories', () => {
  it('a repository may be bare', async () => {
    const bare = join(aFolder(), 'bare.git')
    git(aRepository(), 'clone', '-q', '--bare', '.', bare)
    await useStore(bare)
    expect(git(bare, 'rev-list', '--count', 'loreley/state')).toBe('2')
  })

  it('a repository may use SHA-256', async () => {
    const folder = aFolder()
    git(folder, 'init', '-q', '--object-format=sha256')
    await useStore(folder)
    expect(git(folder, 'rev-parse', 'loreley/state')).toHaveLength(64)
  })

  it('a repository may have files with odd names, and lie in a folder with one', async () => {
    const folder = join(aFolder(), 'a "b" c\\d é')
    writeFiles(folder, {
      'line\nfeed': 'x',
      '-dash': 'x',
      ' space ': 'x',
      'tab\t': 'x',
      '🦀.rs': 'x',
      loreley: 'x',
    })
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff, 0xfe])]), 'not UTF-8')
    symlinkSync('nowhere', join(folder, 'link'))
    git(folder, 'init', '-q', '-b', 'main')
    git(folder, 'add', '-A')
    git(folder, 'commit', '-q', '-m', 'odd')
    const before = digestsOf(folder)
    await useStore(folder)
    expect(digestsOf(folder)).toEqual(before)
  })
})
