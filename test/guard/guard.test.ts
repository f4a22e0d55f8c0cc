import { describe, expect, it } from 'vitest'
import type { ChangedPath } from '../../src/guard/changed-path.ts'
import { createGuard, GUARD_REASONS } from '../../src/guard/guard.ts'
import { PROPOSAL_LIMITS } from '../../src/protocol/proposal.ts'
import { aChange, aDeletion, anEdit, someRules } from './changes.ts'

const guard = createGuard({
  ...someRules(),
  baseRules: [
    { path: '.gitignore', text: 'build/\n' },
    { path: '.gitattributes', text: '*.dat filter=lfs diff=lfs -text\n' },
  ],
})
const PY_TESTS = 'def test_a(): 1\nasync def test_b(): 2\n'
// Put together here, so that no scanner takes this file for a leak.
const A_TOKEN = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_')
const A_PRIVATE_KEY = [
  '-----BEGIN RSA PRIVATE',
  `KEY-----\nMIIEowIBAAKCAQEA${'Ab3d'.repeat(90)}\n-----END RSA PRIVATE`,
  'KEY-----',
].join(' ')
const long = 'x'.repeat(256)
const tooLong = `${'x/'.repeat(90)}${`${'x'.repeat(200)}/`.repeat(5)}`.slice(
  0,
  PROPOSAL_LIMITS.pathCharacters + 1,
)
const endless = `src/${'. '.repeat(500_000)}x`

describe('check', () => {
  it('lets edits, new files and deletions in scope pass', async () => {
    const changes = [anEdit('src/a.ts'), aChange('src/deep/b.ts'), aDeletion('src/c.ts')]
    expect(await guard.check(changes, [])).toEqual({ status: 'clean' })
    expect(await guard.check([], [])).toEqual({ status: 'clean' })
  })

  it('lets the event loop run between files and checks of a large diff', async () => {
    const text = `${"it('a', () => {\n".repeat(16_000)}\n`
    const many = createGuard({ ...someRules(), maxLines: 1e6, maxFileBytes: 1e6, maxTotalBytes: 1e7 })
    const changes = ['a', 'b', 'c', 'd'].map((name) => anEdit(`src/${name}.test.ts`, { was: text, text }))
    let turns = 0
    const count = (): void => {
      turns++
      next = setImmediate(count)
    }
    let next = setImmediate(count)
    expect(await many.check(changes, [])).toEqual({ status: 'clean' })
    clearImmediate(next)
    // At least one for each file and check: hidden text, both texts read and their tests, removed, skipped, secrets.
    expect(turns).toBeGreaterThanOrEqual(4 * 8)
  })

  const table: [
    reason: (typeof GUARD_REASONS)[number],
    what: string,
    changes: ChangedPath[],
    paths?: string[],
  ][] = [
    ['protected-path', 'a configured path', [anEdit('src/generated/x.ts')]],
    ['protected-path', 'a deletion', [aDeletion('src/generated/x.ts')]],
    ['protected-path', "the evaluator's file", [anEdit('src/eval/measure.py')]],
    ['protected-path', "the evaluator's file in other case", [aChange('src/Eval/MEASURE.py')]],
    ['unsafe-path', 'a way up', [aChange('src/../x')]],
    ['unsafe-path', 'an absolute path', [aChange('/src/x')]],
    ['unsafe-path', 'an empty path', [aChange('')]],
    ['unsafe-path', 'an empty segment', [aChange('src//x')]],
    ['unsafe-path', 'a dot segment', [aChange('src/./x')]],
    ['unsafe-path', 'a trailing slash', [aChange('src/x/')]],
    ['unsafe-path', 'a backslash', [aChange('src\\x')]],
    ['unsafe-path', 'a NUL', [aChange('src/a\0b')]],
    ['unsafe-path', 'a line break', [aChange('src/a\nb')]],
    ['unsafe-path', 'a text direction mark', [aChange('src/a\u202eb')]],
    ['unsafe-path', 'half a surrogate pair', [aChange('src/a\ud800')]],
    ['unsafe-path', 'bytes that were not UTF-8', [aChange('src/a\ufffd')]],
    ['unsafe-path', 'a dot at the end', [aChange('src/a.ts.')]],
    ['unsafe-path', 'a space at the end of a folder', [aChange('src/a /b')]],
    ['unsafe-path', 'a space at the start', [aChange('src/ a')]],
    ['unsafe-path', 'a name that is too long', [aChange(`src/${long}`)]],
    ['unsafe-path', 'a path that is too long', [aChange(endless)]],
    ['unsafe-path', 'a path that no proposal can hold', [aChange(tooLong)]],
    ['unsafe-path', 'a path that is too deep', [aChange(`src/${'a/'.repeat(100)}b`)]],
    ['symlink', 'a new symlink', [aChange('src/a', { mode: '120000' })]],
    ['symlink', 'a file in place of a symlink', [anEdit('src/a', { from: '120000' })]],
    ['symlink', 'a deleted symlink', [aDeletion('src/a', '120000')]],
    ['submodule', 'a submodule', [aChange('src/a', { mode: '160000' })]],
    ['mode-change', 'a new executable', [aChange('src/a', { mode: '100755' })]],
    ['mode-change', 'a file made executable', [anEdit('src/a', { mode: '100755' })]],
    ['mode-change', 'a file made plain', [anEdit('src/a', { from: '100755' })]],
    ['mode-change', 'a mode git does not know', [aChange('src/a', { mode: '100666' })]],
    ['mode-change', 'a tree entry', [anEdit('src/a', { from: '040000', mode: '040000' })]],
    ['path-collision', 'names that differ by case', [aChange('src/a'), aChange('src/A')], ['src/A', 'src/a']],
    ['path-collision', 'a rename by case', [aDeletion('src/a'), aChange('src/A')], ['src/A', 'src/a']],
    [
      'path-collision',
      'folders that differ by case',
      [aChange('src/B/x'), aChange('src/b/y')],
      ['src/B/x', 'src/b/y'],
    ],
    [
      'path-collision',
      'two Unicode forms',
      [aChange('src/\u00e9'), aChange('src/e\u0301')],
      ['src/e\u0301', 'src/\u00e9'],
    ],
    ['path-collision', 'ſ and s', [aChange('src/\u017f'), aChange('src/s')], ['src/s', 'src/\u017f']],
    [
      'path-collision',
      'a file that becomes a folder',
      [aDeletion('src/a'), aChange('src/a/b')],
      ['src/a', 'src/a/b'],
    ],
    ['path-collision', 'one path twice', [aChange('src/a'), aChange('src/a')], ['src/a']],
    ['ignored-path', 'what the base ignores', [aChange('src/build/x.js')]],
    ['filtered-path', 'a file in Git LFS', [anEdit('src/model.dat')]],
    ['manifest', 'a manifest', [anEdit('src/package.json')]],
    ['manifest', 'a lockfile in other case', [anEdit('src/Cargo.LOCK')]],
    ['manifest', 'requirements by any name', [aChange('src/requirements-dev.txt')]],
    ['tool-hook', 'a hook of pytest', [aChange('src/conftest.py')]],
    ['tool-hook', 'a hook of the interpreter', [aChange('src/sitecustomize.py')]],
    ['tool-hook', 'a module in a folder of dependencies', [aChange('src/node_modules/left-pad/index.js')]],
    ['tool-hook', 'a module that stands in for a standard one', [aChange('src/random.py')]],
    ['tool-hook', 'a package that stands in for a standard one', [aChange('src/json/__init__.py')]],
    ['tool-hook', "a test runner's config", [anEdit('src/vitest.config.ts')]],
    ['outside-scope', 'a path nobody opened', [aChange('lib/x.ts'), aChange('src/x.ts')], ['lib/x.ts']],
    ['outside-scope', 'the folder itself as a file', [aChange('src')]],
    ['test-removed', 'a deleted test', [aDeletion('src/sum.test.ts')]],
    ['test-removed', 'an emptied test', [anEdit('src/sum.test.ts', { was: 'assert(1)', text: '\n' })]],
    [
      'test-removed',
      'fewer tests than before',
      [anEdit('src/test_sum.py', { was: PY_TESTS, text: 'def test_a(): 1' })],
    ],
    [
      'test-removed',
      'fewer tests beside the code',
      [anEdit('src/lib.rs', { was: '#[test]\nfn a() {}', text: 'x' })],
    ],
    ['test-skipped', 'a skipped test', [anEdit('src/sum.test.ts', { was: 'it("a")', text: 'it.skip("a")' })]],
    ['hidden-text', 'a change of direction', [anEdit('src/a.js', { text: 'a /* \u202e */' })]],
    ['binary', 'a binary file', [anEdit('src/a', { binary: true })]],
    ['file-too-large', 'a large file', [anEdit('src/a', { bytes: 1001 }), anEdit('src/b')], ['src/a']],
    ['file-too-large', 'a size that is no number', [anEdit('src/a', { bytes: Number.NaN })]],
    [
      'too-many-files',
      'six files',
      [6, 1, 2, 3, 4, 5].map((n) => aDeletion(`src/${n}`)),
      [1, 2, 3, 4, 5, 6].map((n) => `src/${n}`),
    ],
    ['too-many-lines', 'many lines', [anEdit('src/a', { was: 'old\n', text: `old\n${'new\n'.repeat(21)}` })]],
    ['secret', 'a key', [anEdit('src/a.js', { text: `const key = "${A_TOKEN}"` })]],
    ['secret', 'a private key', [aChange('src/key.js', { text: A_PRIVATE_KEY })]],
    [
      'change-too-large',
      'a large sum',
      [anEdit('src/b', { bytes: 900 }), anEdit('src/a', { bytes: 900 })],
      ['src/a', 'src/b'],
    ],
  ]

  it.each(table)(
    'gives %s as the reason for blocking %s',
    async (reason, _what, changes, paths = changes.map(({ path }) => path)) => {
      const { details, ...verdict } = { details: undefined, ...(await guard.check(changes, [])) }
      expect(verdict).toEqual({ status: 'blocked', reason, paths })
      expect(details !== undefined, 'only hidden text names its lines').toBe(reason === 'hidden-text')
    },
  )

  it('this test has a case for every reason', () => {
    expect(new Set(table.map(([reason]) => reason))).toEqual(new Set(GUARD_REASONS))
  })

  it('gives the gravest of several reasons, with its paths only', async () => {
    const changes = [
      aChange('lib/x'),
      aChange('src/a', { mode: '120000' }),
      aChange('src/b', { binary: true }),
    ]
    expect(await guard.check(changes, [])).toEqual({ status: 'blocked', reason: 'symlink', paths: ['src/a'] })
  })

  it.each([
    ['file-too-large', ['a'], { bytes: 1001 }],
    ['change-too-large', ['a', 'b'], { bytes: 900 }],
    ['too-many-files', ['a', 'b', 'c', 'd', 'e', 'f'], {}],
    ['too-many-lines', ['a'], { text: `it.skip("a", f)${'\n1'.repeat(20)}` }],
  ])('searches nothing for tests that is %s', async (reason, names, more) => {
    const paths = names.map((name) => `src/${name}.test.ts`)
    const changes = paths.map((path) => anEdit(path, { text: 'it.skip("a", f)', ...more }))
    expect(await guard.check(changes, [])).toEqual({ status: 'blocked', reason, paths })
  })

  it('keeps an executable that stays one', async () => {
    const change = anEdit('src/run', { from: '100755', mode: '100755' })
    expect(await guard.check([change], [])).toEqual({ status: 'clean' })
  })
})

describe('what is always protected', () => {
  const open = createGuard({
    ...someRules(),
    editable: ['**'],
    protected: [],
    evaluatorFiles: ['eval.py', './tools/'],
  })

  it.each([
    '.github/workflows/ci.yml',
    'packages/a/.github/x',
    '.git/hooks/pre-commit',
    '.GIT/config',
    'sub/.Git/config',
    '.gitattributes',
    'src/.gitmodules',
    '.gitlab-ci.yml',
    '.git\u200c/config',
    '.g\u200bit/config',
    '.git /config',
    '.git./config',
    ' .git/config',
    '.git::$INDEX_ALLOCATION/config',
    'GIT~1/config',
    'git~2',
    'GITMOD~1',
    'gi7eba~1',
    'src\\.git\\config',
    '.loreley.yml',
    'sub/.loreley.yml',
    '.Loreley.yml',
    '.loreleyignore',
    '.husky/pre-commit',
    '.hu\u017fky/pre-commit',
    'AGENTS.md',
    'docs/agents.md',
    'CLAUDE.md',
    'CLAUDE.md.',
    '.claude/settings.json',
    '.cursor/rules/x',
    '.cursorrules',
    '.mcp.json',
    'GEMINI.md',
    '.aider.conf.yml',
    '.windsurfrules',
    '.vscode/tasks.json',
    '.devcontainer/devcontainer.json',
    'AGENTS.override.md',
    'AGENTS.local.md',
    'CLAUDE.local.md',
    'docs/copilot-instructions.md',
    'replit.md',
    'skills/speed/SKILL.md',
    '.agents/skills/x.md',
    '.agent/rules/x.md',
    '.kilocode/rules/x.md',
    '.openhands/microagents/repo.md',
    '.tabnine/guidelines/x.md',
    '.crush/x.md',
    '.copilot/x.md',
    '.factory/droids/x.md',
    '.circleci/config.yml',
    '.travis.yml',
    'Jenkinsfile',
    'ci/Jenkinsfile.nightly',
    'azure-pipelines.yml',
    'vercel.json',
    'lefthook.yml',
    '.pre-commit-config.yaml',
    'eval.py',
    'EVAL.PY',
    'tools/measure/x.js',
  ])('always protects %j', async (path) => {
    expect(await open.check([aChange(path)], [])).toEqual({
      status: 'blocked',
      reason: 'protected-path',
      paths: [path],
    })
    expect(open.isEditable(path)).toBe(false)
  })

  it.each([
    'git.ts',
    'src/digit~1',
    'github/x',
    'src/eval.py',
    'src/tools/x',
    'tools',
    'my-agents.md',
    'docs/skills.md',
    'src/jenkins.ts',
    'vercel.ts',
    'src/rules',
    'gist~1',
  ])('does not protect %j', (path) => {
    expect(open.isEditable(path)).toBe(true)
  })
})

describe('names that only differ in form from those of the base', () => {
  it.each([
    ['src/README', ['src/readme'], true],
    ['Src/new', ['src/old'], true],
    ['src/e\u0301', ['src/\u00e9'], true],
    ['src/new', ['src/old', 'SRC/x'], true],
    ['src/new', ['src/old', 'lib/New'], false],
  ])('judges the new path %j beside %j', async (path, basePaths, clashes) => {
    const open = createGuard({ ...someRules(), editable: ['**'] })
    const verdict = await open.check([aChange(path)], basePaths)
    expect(verdict).toEqual(
      clashes ? { status: 'blocked', reason: 'path-collision', paths: [path] } : { status: 'clean' },
    )
  })

  it('a twin name may be edited where the base already has it', async () => {
    expect(await guard.check([anEdit('src/README')], ['src/README', 'src/readme'])).toEqual({
      status: 'clean',
    })
  })
})

describe('manifests', () => {
  it('manifests may be changed where the config allows it', async () => {
    const open = createGuard({ ...someRules(), allowManifests: true })
    expect(await open.check([anEdit('src/package.json')], [])).toEqual({ status: 'clean' })
    expect([guard, open].map((each) => each.isEditable('src/package.json'))).toEqual([false, true])
  })
})

describe('secrets', () => {
  it('a file that already had a secret may be changed', async () => {
    const text = `key = "${A_TOKEN}"`
    expect(await guard.check([anEdit('src/a.js', { was: text, text: `${text}\nmore` })], [])).toEqual({
      status: 'clean',
    })
  })
})
