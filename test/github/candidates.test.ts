import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Transport } from '../../src/github/api/api-client.ts'
import { BaseTrees } from '../../src/github/git/base-trees.ts'
import { Candidates, findInlineText } from '../../src/github/git/candidates.ts'
import { createRootGuard, digestOfRoot } from '../../src/github/git/root-guard.ts'
import { createGuard } from '../../src/guard/guard.ts'
import { blobId } from '../../src/store/object-ids.ts'
import { aChangedFile, type ChangedFile } from '../support/artifacts.ts'
import { aConfig, anObjectId } from '../support/builders.ts'
import { aFolder, git, writeFiles } from '../support/repository.ts'
import { aGitHub, type TestGitHub } from './support.ts'

const guard = createGuard({
  editable: ['src/**'],
  protected: [],
  evaluatorFiles: [],
  rootPaths: [],
  baseRules: [],
  allowManifests: false,
  maxLines: 1000,
  maxFiles: 100,
  maxFileBytes: 4_000_000,
  maxTotalBytes: 4_000_000,
})

const FILES = { 'README.md': '# demo\n', 'src/a.txt': 'one\n', 'src/deep/b.txt': 'two\n', 'src/c.txt': 'c\n' }
const TREES = 'GET /repos/{owner}/{repo}/git/trees/{tree_sha}'

async function aRepositoryToEvolve() {
  const github = await aGitHub({ files: FILES })
  const api = github.api()
  const base = { commit: github.git('rev-parse', 'main'), tree: github.git('rev-parse', 'main^{tree}') }
  return { github, base, candidates: new Candidates(api, new BaseTrees(api)) }
}

/** The tree that git itself gives a change of the base: files with their bytes, or nothing where one goes. */
function treeOf(github: TestGitHub, changes: Readonly<Record<string, Uint8Array | undefined>>): string {
  const folder = join(aFolder(), 'clone')
  git('/', 'clone', '-q', github.git('rev-parse', '--absolute-git-dir'), folder)
  for (const [path, bytes] of Object.entries(changes)) {
    if (bytes === undefined) rmSync(join(folder, path))
    else {
      writeFiles(folder, { [path]: '' })
      writeFileSync(join(folder, path), bytes)
    }
  }
  git(folder, '-c', 'core.autocrlf=false', 'add', '-A')
  return git(folder, 'write-tree')
}

/** The same change as a proposal has it. */
function filesOf(changes: Readonly<Record<string, Uint8Array | undefined>>): ChangedFile[] {
  const old: Readonly<Record<string, string>> = FILES
  return Object.entries(changes).map(([path, bytes]) => {
    const text = old[path]
    const before = text === undefined ? {} : { before: { mode: '100644' as const, blob: blobId(text) } }
    return bytes === undefined ? { path, ...before } : { ...aChangedFile(path, bytes), ...before }
  })
}

describe('a candidate over the API', () => {
  it.each<[string, Record<string, Uint8Array | undefined>, number]>([
    ['text', { 'src/a.txt': Buffer.from('1\n') }, 0],
    ['a new file in a new folder', { 'src/x/y/z.txt': Buffer.from('zäh 🦀\n') }, 0],
    ['CRLF and no line feed at the end', { 'src/a.txt': Buffer.from('a\r\nb') }, 0],
    ['a byte order mark', { 'src/a.txt': Buffer.from('\ufeffa\n') }, 0],
    ['an empty file', { 'src/a.txt': Buffer.alloc(0) }, 1],
    ['bytes that are no UTF-8', { 'src/a.txt': Buffer.from([0xff, 0xfe, 0x41]) }, 1],
    ['a large file', { 'src/a.txt': Buffer.alloc(300 * 1024, 'x') }, 1],
    ['a deletion, and the folder with it', { 'src/deep/b.txt': undefined }, 0],
    [
      'everything at once',
      { 'src/a.txt': undefined, 'src/c.txt': Buffer.from('C'), 'src/n': Buffer.from('n') },
      0,
    ],
  ])('a candidate has the same tree as in git: %s', async (_case, changes, blobs) => {
    const { github, base, candidates } = await aRepositoryToEvolve()
    const tree = treeOf(github, changes)
    const draft = { base, files: filesOf(changes), tree, message: 'better [skip ci]\n' }
    const counts = await github.count(async () => {
      const outcome = await candidates.make(draft, guard)
      if (outcome.status !== 'made') throw new Error(JSON.stringify(outcome))
      expect(github.git('rev-parse', `${outcome.commit}^{tree}`, `${outcome.commit}^`)).toBe(
        `${tree}\n${base.commit}`,
      )
    })
    const { [TREES]: listed, 'graphql read blobs': read = 0, ...writes } = counts
    expect(listed).toBe(1)
    expect(read).toBeLessThanOrEqual(1)
    expect(writes).toEqual({
      ...(blobs === 0 ? {} : { 'POST /repos/{owner}/{repo}/git/blobs': blobs }),
      'POST /repos/{owner}/{repo}/git/trees': 1,
      'POST /repos/{owner}/{repo}/git/commits': 1,
    })
  })

  it('builds a candidate on another without reading anything again', async () => {
    const { github, base, candidates } = await aRepositoryToEvolve()
    const first = { 'src/a.txt': Buffer.from('1\n') }
    const tree = treeOf(github, first)
    const made = await candidates.make({ base, files: filesOf(first), tree, message: 'one' }, guard)
    const parent = { commit: made.status === 'made' ? made.commit : '', tree }
    const files = [
      { ...aChangedFile('src/a.txt', '2\n'), before: { mode: '100644' as const, blob: blobId('1\n') } },
    ]
    const next = treeOf(github, { 'src/a.txt': Buffer.from('2\n') })
    const counts = await github.count(() =>
      candidates.make({ base: parent, files, tree: next, message: 'two' }, guard),
    )
    expect(Object.keys(counts)).toEqual([
      'POST /repos/{owner}/{repo}/git/trees',
      'POST /repos/{owner}/{repo}/git/commits',
    ])
  })

  it('makes no candidate when its tree is not the evaluated one', async () => {
    const { base, candidates } = await aRepositoryToEvolve()
    const files = filesOf({ 'src/a.txt': Buffer.from('1\n') })
    const outcome = await candidates.make({ base, files, tree: anObjectId('other'), message: 'x' }, guard)
    expect(outcome).toMatchObject({ status: 'tree-differs' })
  })

  // The sandbox stores push rulesets but does not apply them, so this fakes GitHub's refusal.
  it.each(['trees', 'blobs'])('reports push-rule when a push ruleset refuses the %s', async (kind) => {
    const { github, base } = await aRepositoryToEvolve()
    const message = 'Repository rule violations found: File path is restricted'
    const transport: Transport = {
      graphql: github.octokit.graphql,
      request: async (route, parameters = {}) => {
        if (route !== `POST /repos/{owner}/{repo}/git/${kind}`)
          return await github.octokit.request(route, parameters)
        throw Object.assign(new Error(message), { status: 422, response: { headers: {}, data: { message } } })
      },
    }
    const api = github.api({ transport })
    const changes = { 'src/a.txt': kind === 'blobs' ? Buffer.alloc(0) : Buffer.from('1\n') }
    const draft = { base, files: filesOf(changes), tree: treeOf(github, changes), message: 'x' }
    const outcome = await new Candidates(api, new BaseTrees(api)).make(draft, guard)
    expect(outcome).toEqual({ status: 'push-rule', message })
  })

  it('writes nothing when the guard blocks a candidate', async () => {
    const { github, base, candidates } = await aRepositoryToEvolve()
    const files = [aChangedFile('.github/workflows/x.yml')]
    const outcome = await candidates.make({ base, files, tree: anObjectId('x'), message: 'x' }, guard)
    expect(outcome).toEqual({
      status: 'blocked',
      reason: 'protected-path',
      paths: ['.github/workflows/x.yml'],
    })
    expect(github.sent.filter(({ writes }) => writes)).toEqual([])
  })

  it.each<[string, ChangedFile]>([
    ['a file that exists is called new', aChangedFile('src/a.txt')],
    ['a folder is needed where a file stands', aChangedFile('src/a.txt/b')],
    ['a file is put where a folder stands', aChangedFile('src/deep')],
    ['what goes does not exist', { path: 'src/none', before: { mode: '100644', blob: blobId('x') } }],
    ['the old content is another', { path: 'src/a.txt', before: { mode: '100644', blob: blobId('x') } }],
    ['the old mode is another', { path: 'src/a.txt', before: { mode: '100755', blob: blobId('one\n') } }],
  ])('makes no candidate when %s', async (_case, file) => {
    const { base, candidates } = await aRepositoryToEvolve()
    const draft = { base, files: [file], tree: anObjectId('x'), message: 'x' }
    expect(await candidates.make(draft, guard)).toMatchObject({ status: 'base-differs' })
  })
})

describe('the guard of a campaign', () => {
  it('knows the root’s ignore rules and the evaluator’s files, read over the API', async () => {
    const files = { '.gitignore': 'dist/\n', 'src/measure.sh': 'echo 1\n', 'src/a.txt': 'a\n' }
    const github = await aGitHub({ files })
    const api = github.api()
    const tree = github.git('rev-parse', 'main^{tree}')
    const config = aConfig()
    const evaluation = { ...config.evaluation, command: 'sh src/measure.sh' }
    const made = await createRootGuard(api, new BaseTrees(api), { config: { ...config, evaluation }, tree })
    expect(made.isEditable('src/a.txt')).toBe(true)
    expect(made.isEditable('src/measure.sh')).toBe(false)
    const facts = { mode: '100644', blob: blobId('x'), bytes: 1, binary: false, text: 'x' }
    expect(await made.check([{ path: 'src/dist/x', after: facts }], [])).toMatchObject({
      reason: 'ignored-path',
    })
  })
})

describe('a tree that GitHub does not list whole', () => {
  // The sandbox never truncates a listing, so this sets the flag.
  function truncating({ octokit }: TestGitHub, isTruncated: (tree: unknown) => boolean): Transport {
    return {
      graphql: octokit.graphql,
      request: async (route, parameters = {}) => {
        const answer = await octokit.request(route, parameters)
        const truncated = 'recursive' in parameters && isTruncated(parameters.tree_sha)
        return route.includes('/trees/') ? { ...answer, data: { ...answer.data, truncated } } : answer
      },
    }
  }

  it('gives the same files, guard and digest as one that is', async () => {
    const { github, base } = await aRepositoryToEvolve()
    const config = aConfig()
    const evaluation = { ...config.evaluation, command: 'cat src/deep/b.txt' }
    const read = async (isTruncated: (tree: unknown) => boolean) => {
      const api = github.api({ transport: truncating(github, isTruncated) })
      const trees = new BaseTrees(api)
      const order = { config: { ...config, evaluation }, tree: base.tree }
      const guard = await createRootGuard(api, trees, order)
      const paths = (await trees.files(base.tree)).map(({ path }) => path).sort()
      const digest = await digestOfRoot({ api, trees }, order.config, base.tree)
      return { paths, digest, editable: paths.map((path) => guard.isEditable(path)) }
    }
    const whole = await read(() => false)
    expect(whole.paths).toContain('src/deep/b.txt')
    expect(whole.editable[whole.paths.indexOf('src/deep/b.txt')]).toBe(false)
    expect(await read((tree) => tree === base.tree)).toEqual(whole)
    expect(await read(() => true)).toEqual(whole)
  })

  it('walks a tree that GitHub truncates, each folder once', async () => {
    const { github, base } = await aRepositoryToEvolve()
    const trees = new BaseTrees(github.api({ transport: truncating(github, () => true) }))
    const counts = await github.count(async () => {
      const found = await trees.find(base.tree, ['src/a.txt', 'src/deep/b.txt', 'src/none', 'src/a.txt/x'])
      expect([...found.keys()]).toEqual(['src/a.txt', 'src/deep/b.txt'])
    })
    expect(counts).toEqual({ [TREES]: 4 })
  })
})

describe('text in a tree request', () => {
  it.each([
    ['a', true],
    ['\ufeffa', true],
    ['', false],
    ['a\0b', false],
    ['x'.repeat(256 * 1024 + 1), false],
  ])('stands for the same bytes or for none (case %#)', (text, inline) => {
    const found = findInlineText(Buffer.from(text))
    expect(found).toBe(inline ? text : undefined)
  })

  it('inline text never changes the bytes of a file', () => {
    const bytes = readFileSync(import.meta.filename)
    expect(Buffer.from(findInlineText(bytes) ?? '').equals(bytes)).toBe(true)
  })
})
