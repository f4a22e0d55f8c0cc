import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { aCli } from '../../support/cli.ts'
import { anExample, EXAMPLE_FILES, exampleConfig } from '../../support/example.ts'
import { aFolder, git, writeFiles } from '../../support/repository.ts'

const RUN = ['run', '--candidates', '3', '--json']

function candidates(folder: string): number {
  return JSON.parse(git(folder, 'show', 'loreley/state:campaigns/default/campaign.json')).finished
}

describe('loreley run works', () => {
  it('a campaign runs in a bare repository, with the committed config', async () => {
    const bare = join(aFolder(), 'bare.git')
    git(await anExample(), 'clone', '-q', '--bare', '.', bare)
    const outcome = await aCli().run(bare, ...RUN)
    expect(outcome).toMatchObject({ exitCode: 0, stderr: '' })
    expect(candidates(bare)).toBe(3)
  })

  it('a campaign runs in a linked worktree with its own HEAD', async () => {
    const folder = await anExample()
    const linked = join(aFolder(), 'linked')
    git(folder, 'worktree', 'add', '-q', '-b', 'topic', linked)
    writeFiles(linked, { 'docs/notes.md': 'changed\n' })
    git(linked, 'commit', '-qam', 'topic')
    const cli = aCli()
    expect(await cli.run(linked, ...RUN)).toMatchObject({ exitCode: 0, stderr: '' })
    const { root } = JSON.parse(git(folder, 'show', 'loreley/state:campaigns/default/campaign.json'))
    expect(root.commit).toBe(git(linked, 'rev-parse', 'topic'))
    expect(git(linked, 'status', '--porcelain')).toBe('')
  })

  it('a campaign runs with a detached HEAD, in a path with spaces and non-ASCII letters, from a subfolder', async () => {
    const place = join(aFolder(), 'mit Leerzeichen 日本 "q" $x')
    mkdirSync(place)
    const folder = await anExample({}, place)
    git(folder, 'switch', '-q', '--detach')
    const cli = aCli()
    expect(await cli.run(join(folder, 'src'), ...RUN)).toMatchObject({ exitCode: 0, stderr: '' })
    expect(candidates(folder)).toBe(3)
    expect(git(folder, 'status', '--porcelain', '--branch')).toBe('## HEAD (no branch)')
  })

  it("a campaign runs from a subfolder with the work tree's config, committed or not", async () => {
    const folder = await anExample()
    writeFiles(folder, { '.loreley.yml': exampleConfig('limits: { candidates: 2 }\n') })
    const cli = aCli()
    const sub = join(folder, 'src')
    expect((await cli.run(sub, 'validate')).stdout).toContain('is valid')
    expect((await cli.run(sub, 'run')).exitCode).toBe(0)
    expect(candidates(folder)).toBe(2)
  })

  it('a campaign runs in a repository with SHA-256 ids', async () => {
    const folder = aFolder()
    git(folder, 'init', '-q', '--object-format=sha256')
    await anExample({}, folder)
    expect(await aCli().run(folder, ...RUN)).toMatchObject({ exitCode: 0, stderr: '' })
    expect(git(folder, 'rev-parse', 'loreley/state')).toHaveLength(64)
  })

  it("several campaigns run with separate states, whatever the caller's GIT_ variables say", async () => {
    const config = exampleConfig('campaigns:\n  one: {}\n  two: { search: { seed: 7 } }\n')
    const folder = await anExample({ '.loreley.yml': config })
    const cli = aCli({ GIT_DIR: '/nowhere', GIT_INDEX_FILE: '/nowhere', GIT_WORK_TREE: '/nowhere' })
    expect((await cli.run(folder, 'run')).stderr).toContain('several campaigns: one, two')
    const both = await Promise.all(
      ['one', 'two'].map((name) => cli.run(folder, 'run', name, '--candidates', '3')),
    )
    expect(both.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual([
      [0, ''],
      [0, ''],
    ])
    expect(git(folder, 'ls-tree', '--name-only', 'loreley/state:campaigns').split('\n')).toEqual([
      'one',
      'two',
    ])
  })
})

describe('loreley run says what is missing', () => {
  it('when there is no commit yet', async () => {
    const folder = aFolder()
    git(folder, 'init', '-q')
    writeFiles(folder, EXAMPLE_FILES)
    const outcome = await aCli().run(folder, ...RUN)
    expect(outcome.exitCode).toBe(1)
    expect(outcome.stderr).toContain('[repository-empty]')
    expect(git(folder, 'for-each-ref')).toBe('')
  })

  it.each<[what: string, code: string, exitCode: number, prepare: (folder: string) => void]>([
    ['a repository', 'not-a-repository', 1, () => undefined],
    ['a config', 'config-missing', 2, (folder) => git(folder, 'init', '-q')],
  ])('when there is not %s', async (_, code, exitCode, prepare) => {
    const folder = aFolder()
    prepare(folder)
    const outcome = await aCli().run(folder, ...RUN)
    expect(outcome.stderr).toContain(`[${code}]`)
    expect(outcome).toMatchObject({ exitCode, stdout: '' })
  })
})
