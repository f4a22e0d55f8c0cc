import { chmodSync, mkdirSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { anAgent } from '../../support/agents/agents.ts'
import { aRepository, git, writeFiles } from '../../support/repository.ts'
import { aWorkbench } from '../../support/workbench.ts'

const FILES = {
  'src/a.js': 'a = 1\n',
  'src/b.js': 'b = 2\n',
  'src/fixed/kept.js': 'kept\n',
  'src/measure.sh': 'echo 1\n',
  'docs/notes.md': 'notes\n',
}

const bench = () => aWorkbench(aRepository(FILES))

describe('the guard on what an agent leaves', () => {
  it.each<[what: string, detail: string, work: (folder: string) => void]>([
    [
      'edits a protected file',
      'protected-path: src/fixed/kept.js',
      (at) => writeFiles(at, { 'src/fixed/kept.js': 'x' }),
    ],
    [
      'adds a workflow',
      'protected-path: .github/workflows/x.yml',
      (at) => writeFiles(at, { '.github/workflows/x.yml': 'x' }),
    ],
    [
      'edits the evaluator',
      'protected-path: src/measure.sh',
      (at) => writeFiles(at, { 'src/measure.sh': 'echo 99\n' }),
    ],
    ['adds a config', 'protected-path: .loreley.yml', (at) => writeFiles(at, { '.loreley.yml': 'x' })],
    [
      'hides files with an ignore file',
      'protected-path: src/.gitignore',
      (at) => writeFiles(at, { 'src/.gitignore': 'b.js' }),
    ],
    [
      'edits outside the scope',
      'outside-scope: docs/notes.md',
      (at) => writeFiles(at, { 'docs/notes.md': 'x' }),
    ],
    [
      'deletes outside the scope',
      'outside-scope: docs/notes.md',
      (at) => rmSync(join(at, 'docs'), { recursive: true }),
    ],
    ['makes a link', 'symlink: src/link', (at) => symlinkSync('/etc/passwd', join(at, 'src/link'))],
    [
      'puts a link in place of a file',
      'symlink: src/a.js',
      (at) => {
        unlinkSync(join(at, 'src/a.js'))
        symlinkSync('b.js', join(at, 'src/a.js'))
      },
    ],
    [
      'writes a huge file',
      'file-too-large: src/a.js',
      (at) => writeFileSync(join(at, 'src/a.js'), 'x'.repeat(1001)),
    ],
    ['writes a binary file', 'binary: src/a.js', (at) => writeFileSync(join(at, 'src/a.js'), 'x\0')],
    [
      'touches many files',
      'too-many-files: src/0, src/1, src/2, src/3, src/4',
      (at) => {
        for (const name of [0, 1, 2, 3, 4]) writeFileSync(join(at, `src/${name}`), 'x')
      },
    ],
    [
      'commits in a repository of its own',
      'submodule: src/nested',
      (at) => {
        mkdirSync(join(at, 'src/nested'))
        git(join(at, 'src/nested'), 'init', '-q')
        git(join(at, 'src/nested'), 'commit', '-q', '--allow-empty', '-m', 'x')
      },
    ],
  ])('blocks an agent that %s', async (_, detail, work) => {
    const { propose } = await bench()
    expect(await propose(anAgent(work))).toMatchObject({ status: 'failed', reason: 'guard-blocked', detail })
  })

  it('an agent cannot change modes: a mere chmod is no change', async () => {
    const { propose } = await bench()
    const chmod = anAgent((folder) => chmodSync(join(folder, 'src/a.js'), 0o755))
    expect(await propose(chmod)).toMatchObject({ status: 'failed', reason: 'no-change' })
  })
})
