import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { GuardReason } from '../../src/guard/guard.ts'
import { aGuardedRepository, withSource } from './guarded-repository.ts'
import type { TreeEntry } from './real-trees.ts'

const RUNS_EACH = 3
const stem = fc.stringMatching(/^[b-m]{2,6}$/)
const text = fc.constantFrom('x\n', '', 'two\nlines\n', 'no end')
const folder = stem.map((name) => `${name}-folder`)

/** A file whose name is made of a random one, or whose mode or content is odd. */
const named = (rename: (name: string) => string | Buffer): fc.Arbitrary<TreeEntry[]> =>
  fc.record({ name: stem.map(rename), content: text }).map((entry) => [entry])
const moded = (mode: string): fc.Arbitrary<TreeEntry[]> =>
  fc.record({ name: stem, mode: fc.constant(mode), content: text }).map((entry) => [entry])
const filled = (content: fc.Arbitrary<string | Buffer>): fc.Arbitrary<TreeEntry[]> =>
  fc.record({ name: stem, content }).map((entry) => [entry])

const KINDS: Readonly<Record<string, readonly [GuardReason, fc.Arbitrary<TreeEntry[]>]>> = {
  'a newline': ['unsafe-path', named((name) => `${name}\n${name}`)],
  'a leading dash': ['unsafe-path', named((name) => `-${name}`)],
  'a leading space': ['unsafe-path', named((name) => ` ${name}`)],
  'a dot at its end': ['unsafe-path', named((name) => `${name}.`)],
  'a backslash': ['unsafe-path', named((name) => `${name}\\${name}`)],
  'a control character': ['unsafe-path', named((name) => `${name}\u0007`)],
  'a direction change': ['unsafe-path', named((name) => `\u202e${name}`)],
  'an invisible character': ['unsafe-path', named((name) => `${name}\u200c`)],
  'a stream': ['unsafe-path', named((name) => `${name}::$DATA`)],
  'a device': ['unsafe-path', named((name) => `NUL.${name}`)],
  'two dots for a name': ['unsafe-path', named(() => '..')],
  'bytes that are not UTF-8': [
    'unsafe-path',
    named((name) => Buffer.concat([Buffer.from(name), Buffer.from([0xff, 0xfe])])),
  ],
  'a short name of git': ['protected-path', named(() => 'git~1')],
  'a nested git folder': [
    'protected-path',
    fc
      .constantFrom('.git', '.GIT', '.gi\u200ct')
      .map((name) => [{ name, content: [{ name: 'config', content: '[core]\n' }] }]),
  ],
  'a symlink': ['symlink', moded('120000')],
  'a submodule': ['submodule', moded('160000')],
  'an executable': ['mode-change', moded('100755')],
  'case-fold twins': [
    'path-collision',
    fc.tuple(stem, text, text).map(([name, one, other]) => [
      { name: `${name}.js`, content: one },
      { name: `${name.toUpperCase()}.js`, content: other },
    ]),
  ],
  'case-fold twins of folders': [
    'path-collision',
    fc.tuple(folder, stem, stem).map(([name, one, other]) => [
      { name, content: [{ name: `${one}1`, content: 'x' }] },
      { name: name.toUpperCase(), content: [{ name: `${other}2`, content: 'x' }] },
    ]),
  ],
  'packages of its own': [
    'tool-hook',
    named((name) => name).map((content) => [{ name: 'node_modules', content }]),
  ],
  'a zero byte': ['binary', filled(text.map((some) => `${some}\0${some}`))],
  'a large file': [
    'file-too-large',
    filled(fc.integer({ min: 5001, max: 20_000 }).map((size) => 'y'.repeat(size))),
  ],
  'a huge file': ['file-too-large', filled(fc.constant('z'.repeat(5_000_000)))],
  'too many lines': [
    'too-many-lines',
    filled(fc.integer({ min: 11, max: 50 }).map((lines) => 'z\n'.repeat(lines))),
  ],
}

/** The entries beside a plain file or none, as deep as chance has it. */
const placed = (odd: fc.Arbitrary<TreeEntry[]>): fc.Arbitrary<TreeEntry[]> =>
  fc
    .tuple(odd, fc.array(folder, { maxLength: 3 }), fc.boolean())
    .map(([entries, folders, hasPlain]) => [
      ...folders.reduce<TreeEntry[]>((content, name) => [{ name, content }], entries),
      ...(hasPlain ? [{ name: 'plain.js', content: 'plain\n' }] : []),
    ])

describe('a random tree with one oddity', () => {
  it.each(Object.entries(KINDS))('blocks a random tree with one oddity: %s', async (_, [reason, odd]) => {
    const { check } = await aGuardedRepository()
    const property = fc.asyncProperty(placed(odd), async (entries) => {
      expect(await check(withSource(...entries))).toMatchObject({ status: 'blocked', reason })
    })
    await fc.assert(property, { seed: 1, numRuns: RUNS_EACH })
  })
})

it('a random tree of plain files passes, quotes and other scripts in their names too', async () => {
  const { check } = await aGuardedRepository()
  const plain = fc
    .uniqueArray(
      fc
        .tuple(stem, fc.constantFrom('', '"', "'", '$x', ' & ', 'é', '中', '%', '-', '..'))
        .map(([name, odd]) => `${name}${odd}n`),
      { minLength: 1, maxLength: 2 },
    )
    .chain((names) => fc.tuple(...names.map((name) => fc.record({ name: fc.constant(name), content: text }))))
  const property = fc.asyncProperty(placed(plain), async (entries) => {
    expect(await check(withSource(...entries))).toEqual({ status: 'clean' })
  })
  await fc.assert(property, { seed: 2, numRuns: 15 })
})

it('random oddities together are judged without a fault, and never pass', async () => {
  const { check } = await aGuardedRepository()
  const kinds = Object.values(KINDS).map(([, odd]) => odd)
  const several = fc.tuple(fc.oneof(...kinds), fc.oneof(...kinds)).map(([one, other]) => [
    { name: 'one', content: one },
    { name: 'two', content: other },
  ])
  const property = fc.asyncProperty(several, async (entries) => {
    expect(await check(withSource(...entries))).toMatchObject({ status: 'blocked' })
  })
  await fc.assert(property, { seed: 3, numRuns: 15 })
})
