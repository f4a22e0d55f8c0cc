import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ChangedPath } from '../../src/guard/changed-path.ts'
import { createGuard } from '../../src/guard/guard.ts'
import { someRules } from './changes.ts'

const guard = createGuard({ ...someRules(), editable: ['**'], protected: ['lib/'], maxFiles: 6 })

const name = fc.oneof(
  fc.constantFrom(
    'src',
    'SRC',
    'a',
    'A',
    '\u00e9',
    'e\u0301',
    'lib',
    '.git',
    'git~1',
    '..',
    '.',
    '',
    ' ',
    'a.',
    'x\0',
  ),
  fc.string({ unit: 'binary', maxLength: 4 }),
  fc.string({ unit: 'grapheme', maxLength: 4 }),
)
const path = fc.array(name, { maxLength: 4 }).map((names) => names.join('/'))
const mode = fc.constantFrom('100644', '100644', '100644', '100755', '120000', '160000', '040000', '')
const change: fc.Arbitrary<ChangedPath> = fc.record(
  {
    path,
    before: fc.record({ mode, blob: fc.constant('a') }),
    after: fc.record({
      mode,
      blob: fc.constant('b'),
      bytes: fc.nat(1200),
      binary: fc.boolean(),
      text: fc.constant('x'),
    }),
  },
  { requiredKeys: ['path'] },
)

describe('the guard, whatever the names', () => {
  it('gives the same verdict for the same changes in any order', async () => {
    const shuffles = fc
      .array(change, { maxLength: 8 })
      .chain((changes) =>
        fc.tuple(fc.constant(changes), fc.shuffledSubarray(changes, { minLength: changes.length })),
      )
    const property = fc.asyncProperty(shuffles, async ([changes, shuffled]) => {
      expect(await guard.check(shuffled, [])).toEqual(await guard.check(changes, []))
    })
    await fc.assert(property, { seed: 1, numRuns: 1000 })
  })

  it('passes a change only if each of its paths is editable', async () => {
    const property = fc.asyncProperty(fc.array(change, { maxLength: 3 }), async (changes) => {
      if ((await guard.check(changes, [])).status === 'blocked') return
      expect(changes.filter(({ path }) => !guard.isEditable(path))).toEqual([])
    })
    await fc.assert(property, { seed: 2, numRuns: 1000 })
  })

  it('blocks a change that has a blocked part', async () => {
    const property = fc.asyncProperty(fc.array(change, { maxLength: 3 }), change, async (changes, more) => {
      if ((await guard.check(changes, [])).status === 'blocked')
        expect((await guard.check([...changes, more], [])).status).toBe('blocked')
    })
    await fc.assert(property, { seed: 3, numRuns: 1000 })
  })
})
