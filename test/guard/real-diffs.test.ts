import { describe, expect, it } from 'vitest'
import type { GuardReason } from '../../src/guard/guard.ts'
import { aGuardedRepository, BASE, TEST, withSource } from './guarded-repository.ts'
import type { TreeEntry } from './real-trees.ts'

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
  'hidden-text': withSource({ name: 'a.js', content: 'a // \u202e}\n' }),
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
})
