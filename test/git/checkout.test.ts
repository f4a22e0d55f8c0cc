import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type FileToWrite, writeFilesTo } from '../../src/git/checkout.ts'
import { renderDiffWithStat } from '../../src/git/diffs.ts'
import { diffTrees, listFiles } from '../../src/git/listing.ts'
import { ObjectStore } from '../../src/git/objects/object-store.ts'
import { openRepository } from '../../src/git/repository.ts'
import { aFolder, aRepository, git, gitEnvironment, writeFiles } from '../support/repository.ts'

async function open(source: string) {
  const repository = await openRepository(source, gitEnvironment)
  const objects = new ObjectStore(repository)
  onTestFinished(() => objects.close())
  const version = async (text: string, mode = '100644'): Promise<FileToWrite['version']> => ({
    mode,
    blob: await objects.write('blob', text),
  })
  return { repository, objects, version }
}

function at(path: string, version: FileToWrite['version']): FileToWrite {
  return { pathBytes: Buffer.from(path), version }
}

describe('writeFilesTo', () => {
  it('writes files, executables, links and empty folders for submodules', async () => {
    const { objects, version } = await open(aRepository())
    const folder = aFolder()
    await writeFilesTo(
      folder,
      [
        at('deep/er/plain', await version('text\r\n')),
        at('tool', await version('x', '100755')),
        at('link', await version('deep/er/plain', '120000')),
        at('module', { mode: '160000', blob: '0'.repeat(40) }),
      ],
      objects,
    )
    expect(readFileSync(join(folder, 'deep/er/plain'), 'latin1')).toBe('text\r\n')
    expect(statSync(join(folder, 'tool')).mode & 0o111).toBe(0o111)
    expect(readlinkSync(join(folder, 'link'))).toBe('deep/er/plain')
    expect(readdirSync(join(folder, 'module'))).toEqual([])
  })

  it('removes files, also those whose names are not UTF-8, and does not mind if they are not there', async () => {
    const { objects, version } = await open(aRepository())
    const folder = aFolder()
    const pathBytes = Buffer.from('caf\xe9', 'latin1')
    await writeFilesTo(folder, [{ pathBytes, version: await version('x') }], objects)
    await writeFilesTo(folder, [{ pathBytes, version: undefined }, at('never/there', undefined)], objects)
    expect(readdirSync(folder)).toEqual([])
  })

  it('puts a file where a folder was emptied, and a folder where a file was', async () => {
    const { objects, version } = await open(aRepository())
    const folder = aFolder()
    writeFiles(folder, { 'src/a/x': '1', 'src/b': '2' })
    await writeFilesTo(
      folder,
      [
        at('src/a', await version('file')),
        at('src/a/x', undefined),
        at('src/b/y', await version('y')),
        at('src/b', undefined),
      ],
      objects,
    )
    expect(readFileSync(join(folder, 'src/a'), 'utf8')).toBe('file')
    expect(readFileSync(join(folder, 'src/b/y'), 'utf8')).toBe('y')
  })

  it('writes to a file in its place, never through a link or into a read-only one', async () => {
    const { objects, version } = await open(aRepository())
    const folder = aFolder()
    const outside = join(aFolder(), 'outside')
    writeFiles(folder, { 'read-only': 'old', 'was-plain': 'old' })
    writeFiles(join(outside, '..'), { outside: 'precious' })
    chmodSync(join(folder, 'read-only'), 0o444)
    symlinkSync(outside, join(folder, 'link'))
    mkdirSync(join(folder, 'folder'))
    writeFiles(folder, { 'folder/inner': 'x' })
    const text = await version('new')
    await writeFilesTo(
      folder,
      [
        at('link', text),
        at('read-only', text),
        at('folder', text),
        at('was-plain', await version('new', '100755')),
      ],
      objects,
    )
    expect(readFileSync(outside, 'utf8')).toBe('precious')
    expect(lstatSync(join(folder, 'link')).isSymbolicLink()).toBe(false)
    expect(statSync(join(folder, 'read-only')).mode & 0o777).toBe(0o644)
    expect(statSync(join(folder, 'was-plain')).mode & 0o111).toBe(0o111)
    for (const path of ['link', 'read-only', 'folder', 'was-plain'])
      expect(readFileSync(join(folder, path), 'utf8')).toBe('new')
  })
})

describe('listing', () => {
  it('lists files with modes through folders, and names as bytes', async () => {
    const source = aRepository({ 'b/c': '1', 'b/ü': '2', a: '3' })
    git(source, 'update-index', '--chmod=+x', 'a')
    git(source, 'commit', '-qm', 'x')
    const { repository } = await open(source)
    const files = await listFiles(repository, git(source, 'rev-parse', 'HEAD^{tree}'))
    expect(files.map(({ mode, path }) => `${mode} ${path}`)).toEqual(['100755 a', '100644 b/c', '100644 b/ü'])
    expect(files.map(({ blob }) => blob)).toEqual(
      ['a', 'b/c', 'b/ü'].map((path) => git(source, 'rev-parse', `HEAD:${path}`)),
    )
  })

  it('tells what was added, changed and removed, a rename as both, line feeds in names or not', async () => {
    const source = aRepository({ same: '0', old: 'a text\n', 'line\nfeed': '1', gone: '2' })
    const from = git(source, 'rev-parse', 'HEAD^{tree}')
    git(source, 'mv', 'old', 'new')
    git(source, 'rm', '-q', 'gone')
    writeFiles(source, { 'line\nfeed': '3' })
    git(source, 'commit', '-qam', 'x')
    const { repository } = await open(source)
    const changes = await diffTrees(repository, from, git(source, 'rev-parse', 'HEAD^{tree}'))
    const kinds = changes.map(({ path, before, after }) => [path, before !== undefined, after !== undefined])
    expect(kinds).toEqual([
      ['gone', true, false],
      ['line\nfeed', true, true],
      ['new', false, true],
      ['old', true, false],
    ])
    expect(await diffTrees(repository, from, from)).toEqual([])
  })

  it('shows a patch without starting a diff program of the user', async () => {
    const source = aRepository({ a: 'one\n' })
    writeFiles(source, { a: 'two\n', '.git/info/attributes': '* diff=evil\n' })
    git(source, 'commit', '-qam', 'x')
    for (const key of ['diff.external', 'diff.evil.command', 'diff.evil.textconv'])
      git(source, 'config', key, `touch ${join(source, 'started')}; false`)
    const { repository } = await open(source)
    const patch = await renderDiffWithStat(
      repository,
      git(source, 'rev-parse', 'HEAD~^{tree}'),
      git(source, 'rev-parse', 'HEAD^{tree}'),
    )
    expect(patch).toContain('-one\n+two\n')
    expect(readdirSync(source)).not.toContain('started')
  })
})
