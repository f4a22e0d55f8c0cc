import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { EmbedderFault } from '../../../src/embedding/embedder.ts'
import { diffTrees, listFiles } from '../../../src/git/listing.ts'
import { ObjectStore } from '../../../src/git/objects/object-store.ts'
import { createDescriber, tryDescribe } from '../../../src/pipeline/describing/describer.ts'
import { openGit } from '../../../src/store/open-git.ts'
import { aConfig } from '../../support/builders.ts'
import { aFolder, aRepository, git, gitEnvironment, writeFiles } from '../../support/repository.ts'

const LEARNED = { kind: 'learned' } as const
const config = aConfig({ search: { descriptor: 'delta', axes: [LEARNED, LEARNED] } })

/** Describes a change of a repository's files as a host does. */
async function describeChange(root: Record<string, string>, change: Record<string, string>) {
  const folder = aRepository(root)
  const opened = await openGit(folder, gitEnvironment)
  onTestFinished(() => opened.close())
  const { repository, objects } = opened
  const rootTree = git(folder, 'rev-parse', 'HEAD^{tree}').trim()
  writeFiles(folder, change)
  git(folder, 'add', '-A')
  git(folder, 'commit', '-qm', 'change')
  const tree = git(folder, 'rev-parse', 'HEAD^{tree}').trim()
  const describer = await createDescriber({
    config,
    objects,
    preparedRoot: { rootFiles: await listFiles(repository, rootTree), trusted: folder },
    workspacesFolder: join(aFolder(), 'work'),
    path: process.env.PATH ?? '',
  })
  return (await describer?.(await diffTrees(repository, rootTree, tree)))?.embedding
}

const FILES = { 'src/a.js': 'export const a = 1\n', 'drafts/b.js': 'export const b = 1\n' }
const EDIT = { 'src/a.js': 'export const other = 2\n', 'drafts/b.js': 'export const more = 2\n' }

it("leaves out what the root's .loreleyignore names", async () => {
  const embedding = await describeChange({ ...FILES, '.loreleyignore': 'drafts/\n' }, EDIT)
  expect(embedding).toMatchObject({ files: ['src/a.js'], leftOut: { ignored: 1 } })
})

it("takes no notice of a candidate's .loreleyignore", async () => {
  const hiding = { ...EDIT, '.loreleyignore': 'src/\n' }
  expect((await describeChange(FILES, hiding))?.files).toEqual(['src/a.js', 'drafts/b.js'])
  const root = { ...FILES, '.loreleyignore': 'drafts/\n' }
  expect(await describeChange(root, hiding)).toMatchObject({ files: ['src/a.js'], leftOut: { ignored: 1 } })
})

it('leaves out what is too large, without reading it', async () => {
  const read = vi.spyOn(ObjectStore.prototype, 'get')
  onTestFinished(() => read.mockRestore())
  const large = 'let a = 1\n'.repeat(60_000)
  const embedding = await describeChange(FILES, { ...EDIT, 'src/a.js': large })
  expect(embedding?.leftOut).toEqual({ 'too-large': 1 })
  const blobs = await Promise.all(read.mock.results.map(({ value }) => value))
  expect(Math.max(...blobs.map(({ length }) => length))).toBeLessThan(100_000)
})

it('tells what a failed embedder cost, and nothing that looks like a secret', async () => {
  const key = ['sk', 'abcdefghijklmnopqrstuvwxyz'].join('-')
  const broken = async () => {
    throw new EmbedderFault(`It said: wrong key ${key}`, 'Check it.', { paid: { tokens: 7, dollars: 1 } })
  }
  expect(await tryDescribe(broken, [])).toMatchObject({
    detail: 'It said: wrong key [secret] Check it.',
    usage: { tokens: 7, dollars: 1 },
  })
})
