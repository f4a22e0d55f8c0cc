import { describe, expect, it, onTestFinished } from 'vitest'
import { readCommit, writeCommit } from '../../src/git/objects/commits.ts'
import { ObjectStore } from '../../src/git/objects/object-store.ts'
import { editTree, fileEdit, findInTree, readTree } from '../../src/git/objects/trees.ts'
import { openRepository } from '../../src/git/repository.ts'
import { aFolder, aRepository, git, gitEnvironment, writeFiles } from '../support/repository.ts'

async function objectsOf(folder: string): Promise<ObjectStore> {
  const objects = new ObjectStore(await openRepository(folder, gitEnvironment))
  onTestFinished(() => objects.close())
  return objects
}

describe('ObjectStore', () => {
  it('writes what git reads, and reads what git wrote', async () => {
    const folder = aRepository({ 'a.txt': 'one\n' })
    const objects = await objectsOf(folder)
    const id = await objects.write('blob', 'two\n')
    expect(git(folder, 'cat-file', '-p', id)).toBe('two')
    const blob = git(folder, 'rev-parse', 'HEAD:a.txt')
    expect((await objects.get(blob, 'blob')).toString()).toBe('one\n')
  })

  it('answers many requests at once, in order, large and empty blobs among them', async () => {
    const objects = await objectsOf(aRepository())
    const texts = Array.from({ length: 40 }, (_, index) =>
      index === 7 ? 'x'.repeat(5_000_000) : `${index}`.repeat(index),
    )
    const ids = await Promise.all(texts.map((text) => objects.write('blob', text)))
    const read = await Promise.all(ids.map((id) => objects.get(id, 'blob')))
    expect(read.map((content) => content.toString())).toEqual(texts)
  })

  it('tells the size of an object', async () => {
    const objects = await objectsOf(aRepository())
    const ids = await Promise.all(['', 'x'.repeat(70_000)].map((text) => objects.write('blob', text)))
    expect(await Promise.all(ids.map((id) => objects.findSize(id)))).toEqual([0, 70_000])
  })

  it('finds where a ref leads now, and nothing for no ref or a lost object', async () => {
    const folder = aRepository()
    const objects = await objectsOf(folder)
    const head = git(folder, 'rev-parse', 'HEAD')
    expect(await objects.findByRef('refs/loreley/a')).toBeUndefined()
    git(folder, 'update-ref', 'refs/loreley/a', head)
    expect(await objects.findByRef('refs/loreley/a')).toBe(head)
    git(folder, 'commit', '-q', '--allow-empty', '-m', 'second')
    git(folder, 'update-ref', 'refs/loreley/a', 'HEAD')
    git(folder, 'pack-refs', '--all')
    expect(await objects.findByRef('refs/loreley/a')).toBe(git(folder, 'rev-parse', 'HEAD'))
    writeFiles(folder, { '.git/refs/loreley/a': `${'0'.repeat(39)}1\n` })
    expect(await objects.findByRef('refs/loreley/a')).toBeUndefined()
  })

  it('says what is missing', async () => {
    const objects = await objectsOf(aRepository())
    expect(await objects.findSize('0123456789012345678901234567890123456789')).toBeUndefined()
    expect(await objects.find('0123456789012345678901234567890123456789')).toBeUndefined()
    await expect(objects.get('0123456789012345678901234567890123456789', 'blob')).rejects.toMatchObject({
      code: 'git-failed',
    })
  })

  it('works in a repository with SHA-256 ids', async () => {
    const folder = aFolder()
    git(folder, 'init', '-q', '--bare', '--object-format=sha256')
    const objects = await objectsOf(folder)
    const blob = await objects.write('blob', 'x')
    const tree = await editTree(objects, undefined, new Map([['a/b.txt', fileEdit(blob)]]))
    expect(git(folder, 'ls-tree', '-r', '--name-only', tree ?? '')).toBe('a/b.txt')
  })
})

describe('editTree', () => {
  it('changes, adds and removes paths as git itself would', async () => {
    const folder = aRepository({ 'a/b.txt': '1', 'a-b': '2', a0: '3', 'gone/x': '4' })
    const objects = await objectsOf(folder)
    const blob = await objects.write('blob', 'new')
    const base = git(folder, 'rev-parse', 'HEAD^{tree}')
    const changes = new Map([
      ['a/b.txt', fileEdit(blob)],
      ['a/deep/er.txt', fileEdit(blob)],
      ['gone/x', undefined],
    ])
    const tree = (await editTree(objects, base, changes)) ?? ''
    git(folder, 'fsck', '--strict')
    expect(git(folder, 'ls-tree', '-r', '--name-only', tree).split('\n')).toEqual([
      'a-b',
      'a/b.txt',
      'a/deep/er.txt',
      'a0',
    ])
    expect((await findInTree(objects, tree, 'a/deep/er.txt'))?.id).toBe(blob)
    expect(await findInTree(objects, tree, 'a0/nothing')).toBeUndefined()
    expect((await readTree(objects, tree)).map((entry) => entry.name)).toEqual(['a-b', 'a', 'a0'])
  })
})

describe('writeCommit', () => {
  it('gives the same id for the same draft, and can be read back', async () => {
    const folder = aRepository()
    const objects = await objectsOf(folder)
    const head = git(folder, 'rev-parse', 'HEAD')
    const draft = {
      tree: git(folder, 'rev-parse', 'HEAD^{tree}'),
      parents: [head],
      message: 'change\n\nKey: value',
      identity: { name: 'Bot', email: 'bot@example.com' },
      seconds: 1_700_000_000,
    }
    const id = await writeCommit(objects, draft)
    expect(await writeCommit(objects, draft)).toBe(id)
    expect(await readCommit(objects, id)).toEqual({
      tree: draft.tree,
      parents: [head],
      committerSeconds: 1_700_000_000,
      message: 'change\n\nKey: value\n',
    })
    expect(git(folder, 'log', '-1', '--format=%an %ae %ct %s', id)).toBe(
      'Bot bot@example.com 1700000000 change',
    )
  })
})
