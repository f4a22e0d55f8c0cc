import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { resolveCampaign } from '../../src/config/resolve.ts'
import { campaignSchema } from '../../src/config/schema/campaign.ts'
import { listFiles } from '../../src/git/listing.ts'
import { createCampaignGuard } from '../../src/guard/campaign-guard.ts'
import type { GuardReason } from '../../src/guard/guard.ts'
import { openGit } from '../../src/local/open-git.ts'
import { checkTrees } from '../../src/pipeline/campaign-guard.ts'
import { aRepository, git, gitEnvironment } from '../support/repository.ts'
import { type TreeEntry, writeTree } from './real-trees.ts'

const TEST = 'test("a", () => 1)\ntest("b", () => 2)\n'
const BASE: TreeEntry[] = [
  { name: '.gitattributes', content: '*.dat filter=lfs\n' },
  { name: '.gitignore', content: 'build/\n' },
  { name: 'bench.js', content: 'console.log(1)\n' },
  { name: 'docs', content: [{ name: 'notes.md', content: 'notes\n' }] },
  {
    name: 'src',
    content: [
      { name: 'a.js', content: 'a\n' },
      { name: 'a.test.js', content: TEST },
      { name: 'quick.mjs', content: 'console.log(1)\n' },
      { name: 'unseen', content: [{ name: 'inputs.json', content: '[1]\n' }] },
      { name: 'unseen.mjs', content: 'console.log(1)\n' },
    ],
  },
]

/** The base with these entries in `src`, beside or instead of its own. */
function withSource(...entries: TreeEntry[]): TreeEntry[] {
  const names = new Set(entries.map(({ name }) => name))
  return BASE.map((entry) =>
    entry.name === 'src' && Array.isArray(entry.content)
      ? { name: 'src', content: [...entry.content.filter(({ name }) => !names.has(name)), ...entries] }
      : entry,
  )
}

async function aGuardedRepository() {
  const folder = aRepository()
  const base = writeTree(folder, BASE)
  const opened = await openGit(folder, gitEnvironment)
  onTestFinished(() => opened.close())
  const { repository, objects } = opened
  const config = resolveCampaign(
    'demo',
    campaignSchema.parse({
      goal: 'Better.',
      objectives: [{ metric: 'x', direction: 'maximize' }],
      evaluation: {
        command: 'node bench.js',
        quick: { command: 'node src/quick.mjs' },
        held_out: { command: 'node "$LORELEY_TRUSTED/src/unseen.mjs"', paths: ['src/unseen'] },
      },
      scope: {
        editable: ['src/**'],
        max_files: 3,
        max_lines: 10,
        max_file_bytes: 5000,
        max_change_bytes: 6000,
      },
    }),
  )
  const guard = await createCampaignGuard(config, await listFiles(repository, base), async (blob) =>
    (await objects.get(blob, 'blob')).toString('utf8'),
  )
  return {
    folder,
    base,
    check: async (entries: readonly TreeEntry[]) =>
      (await checkTrees({ repository, objects, guard }, base, writeTree(folder, entries))).verdict,
  }
}

const token = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_')
const HOSTILE: Readonly<Record<GuardReason, TreeEntry[]>> = {
  'protected-path': BASE.map((entry) => (entry.name === 'bench.js' ? { ...entry, content: 'cheat' } : entry)),
  'unsafe-path': withSource({ name: 'line\nbreak', content: 'x' }),
  symlink: withSource({ name: 'a.js', mode: '120000', content: '../bench.js' }),
  submodule: withSource({ name: 'sub', mode: '160000', content: '' }),
  'mode-change': withSource({ name: 'a.js', mode: '100755', content: 'a\n' }),
  'path-collision': withSource({ name: 'A.js', content: 'twin\n' }),
  'ignored-path': withSource({ name: 'build', content: [{ name: 'x.js', content: 'x' }] }),
  'filtered-path': withSource({ name: 'big.dat', content: 'version https://git-lfs\n' }),
  manifest: withSource({ name: 'package.json', content: '{"scripts":{"postinstall":"x"}}' }),
  'tool-hook': withSource({ name: 'node_modules', content: [{ name: 'x.js', content: 'x' }] }),
  'outside-scope': BASE.filter(({ name }) => name !== 'docs'),
  'test-removed': withSource({ name: 'a.test.js', content: 'test("a", () => 1)\n' }),
  'test-skipped': withSource({ name: 'a.test.js', content: TEST.replace('test(', 'test.only(') }),
  binary: withSource({ name: 'a.js', content: 'a\0' }),
  'file-too-large': withSource({ name: 'a.js', content: 'x'.repeat(5001) }),
  'too-many-files': withSource(...[1, 2, 3, 4].map((name) => ({ name: `${name}.js`, content: 'x' }))),
  'too-many-lines': withSource({ name: 'a.js', content: 'new\n'.repeat(11) }),
  'change-too-large': withSource(...['b', 'c'].map((name) => ({ name, content: 'x'.repeat(3500) }))),
  secret: withSource({ name: 'a.js', content: `send("${token}")` }),
}

describe('the guard on trees that git wrote', () => {
  it('blocks one for every reason', async () => {
    const { check } = await aGuardedRepository()
    const reasons: string[] = []
    for (const entries of Object.values(HOSTILE)) {
      const verdict = await check(entries)
      reasons.push(verdict.status === 'blocked' ? verdict.reason : verdict.status)
    }
    expect(reasons).toEqual(Object.keys(HOSTILE))
  })

  it.each<[path: string, entry: TreeEntry]>([
    ['src/quick.mjs', { name: 'quick.mjs', content: 'cheat' }],
    ['src/unseen.mjs', { name: 'unseen.mjs', content: 'cheat' }],
    ['src/unseen/inputs.json', { name: 'unseen', content: [{ name: 'inputs.json', content: '[]' }] }],
  ])('protects %s, which only the quick or the held-out command needs', async (path, entry) => {
    const { check } = await aGuardedRepository()
    expect(await check(withSource(entry))).toEqual({
      status: 'blocked',
      reason: 'protected-path',
      paths: [path],
    })
  })

  it('lets an edit and a new file pass', async () => {
    const { check } = await aGuardedRepository()
    const entries = withSource({ name: 'a.js', content: 'b\n' }, { name: 'new.js', content: 'n\n' })
    expect(await check(entries)).toEqual({ status: 'clean' })
  })

  it('judges random trees without a fault, and passes plain files in scope only', async () => {
    const { check, folder, base } = await aGuardedRepository()
    const property = fc.asyncProperty(fc.array(entry, { maxLength: 4 }), async (entries) => {
      const verdict = await check(withSource(...distinct(entries)))
      if (verdict.status === 'clean') expect(entries.filter(isOdd)).toEqual([])
    })
    await fc.assert(property, { seed: 1, numRuns: 25 })
    expect(git(folder, 'cat-file', '-t', base)).toBe('tree')
  }, 60_000)
})

const oddName = fc.constantFrom<string | Buffer>(
  ...[
    '..',
    '.git',
    '-rf',
    'a\nb',
    'a"b',
    "a'b",
    'A.js',
    'a\\b',
    '.GIT',
    'git~1',
    ' x',
    'x.',
    '\u202ea',
    'package.json',
  ],
  Buffer.from([0x66, 0xff, 0xfe]),
)
const name = fc.oneof(oddName, fc.stringMatching(/^[a-z]{1,6}\.js$/))
const content = fc.constantFrom<string | Buffer>(
  'x\n',
  '',
  'a\0b',
  'y'.repeat(6000),
  'z\n'.repeat(50),
  Buffer.from([0xff]),
)
const file: fc.Arbitrary<TreeEntry> = fc.record({
  name,
  mode: fc.constantFrom('100644', '100644', '100755', '120000', '160000'),
  content,
})
const folderOf: fc.Arbitrary<TreeEntry> = fc.record({
  name: fc.constantFrom('deep', '.git', 'node_modules', 'DEEP', '..'),
  content: fc.array(file, { minLength: 1, maxLength: 2 }).map(distinct),
})
const entry = fc.oneof(file, folderOf)

function distinct(entries: readonly TreeEntry[]): TreeEntry[] {
  return [...new Map(entries.map((each) => [each.name.toString(), each])).values()]
}

function isOdd({ name, mode = '100644', content }: TreeEntry): boolean {
  if (typeof content !== 'string' && !Buffer.isBuffer(content)) {
    return name !== 'deep' && name !== 'DEEP' ? true : content.some(isOdd)
  }
  const plain = typeof name === 'string' && /^([a-z]{1,6}\.js|-rf|a["']b)$/.test(name)
  return !plain || mode !== '100644' || content.length > 5000 || content.includes('\0')
}
