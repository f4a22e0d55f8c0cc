import { describe, expect, it, onTestFinished } from 'vitest'
import { diffTrees } from '../../../src/git/listing.ts'
import { ObjectStore } from '../../../src/git/objects/object-store.ts'
import { openRepository } from '../../../src/git/repository.ts'
import { countChange } from '../../../src/pipeline/describing/change-stats.ts'
import { aRepository, git, gitEnvironment, writeFiles } from '../../support/repository.ts'

async function count(before: Record<string, string>, after: Record<string, string>) {
  const source = aRepository(before)
  git(source, 'rm', '-rqf', '.')
  writeFiles(source, after)
  git(source, 'add', '-A')
  git(source, 'commit', '-qm', 'after')
  const repository = await openRepository(source, gitEnvironment)
  const objects = new ObjectStore(repository)
  onTestFinished(() => objects.close())
  return await countChange(await diffTrees(repository, 'HEAD~^{tree}', 'HEAD^{tree}'), objects)
}

describe('countChange', () => {
  it('counts lines as git does', async () => {
    const before = { same: '1\n', edited: 'a\nb\nc\n', gone: '1\n2\n' }
    const after = { same: '1\n', edited: 'a\nB\nc\nd\n', added: 'x\ny\nz' }
    expect(await count(before, after)).toEqual({ files: 3, linesAdded: 5, linesRemoved: 3 })
  })

  it('counts an empty file as no line and a binary file as a file without lines', async () => {
    const stats = await count({ a: '1\n' }, { a: '1\n', empty: '', binary: 'a\0b\nc\n' })
    expect(stats).toEqual({ files: 2, linesAdded: 0, linesRemoved: 0 })
  })

  it('does not take long over files that have nothing in common', async () => {
    const text = (name: string) => Array.from({ length: 20_000 }, (_, line) => `${name} ${line}\n`).join('')
    const stats = await count({ a: text('old') }, { a: text('new') })
    expect(stats).toEqual({ files: 1, linesAdded: 20_000, linesRemoved: 20_000 })
  })
})
