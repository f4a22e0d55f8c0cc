import fc from 'fast-check'
import { expect, it } from 'vitest'
import { findConfigProblems, parseConfig } from '../../src/config/file/parse.ts'
import { LoreleyError } from '../../src/errors.ts'
import { SMALLEST } from './examples.ts'

function isParsedOrRefused(text: string): boolean {
  const problems = findConfigProblems(text)
  try {
    parseConfig(text, 'f')
    return problems.length === 0
  } catch (error) {
    return error instanceof LoreleyError && error.code === 'config-invalid' && problems.length > 0
  }
}

const inText = (text: string) =>
  findConfigProblems(text).every(({ line, column }) => {
    const lines = text.split('\n')
    return line >= 1 && line <= lines.length && column >= 1 && column <= (lines[line - 1]?.length ?? 0) + 1
  })

const piece = fc.constantFrom(
  ...[
    'goal',
    'scope',
    'campaigns',
    'objectives',
    'a',
    '1',
    '.nan',
    '__proto__',
    'constructor',
    '<<',
    '~',
    'toString',
  ],
  ...[': ', ':\n', '\n', '\n  ', '- ', '? ', '[', ']', '{', '}', ', ', '"', "'", '|\n', '>', '#'],
  ...[
    '&a ',
    '*a',
    '!t ',
    '!!set ',
    '!!binary ',
    '---\n',
    '...\n',
    '%YAML 1.1\n',
    '\t',
    '\r\n',
    '\0',
    '\uFEFF',
    '\uD800',
  ],
)

it('refuses any text with a problem inside it, and throws nothing else', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('')),
  )
  fc.assert(
    fc.property(text, (it) => isParsedOrRefused(it) && inText(it)),
    { seed: 1, numRuns: 500 },
  )
})

it('survives damage anywhere in a good file', () => {
  const damaged = fc
    .tuple(fc.nat(SMALLEST.length), fc.nat(12), fc.array(piece, { maxLength: 4 }))
    .map(([at, cut, pieces]) => SMALLEST.slice(0, at) + pieces.join('') + SMALLEST.slice(at + cut))
  fc.assert(fc.property(damaged, isParsedOrRefused), { seed: 2, numRuns: 500 })
})

it('reads any JSON value in place of any section', () => {
  const key = fc.constantFrom(
    'goal',
    'scope',
    'objectives',
    'evaluation',
    'search',
    'limits',
    'schedule',
    'campaigns',
  )
  const property = fc.property(key, fc.jsonValue({ maxDepth: 4 }), (name, value) =>
    isParsedOrRefused(`${JSON.stringify({ goal: 'x', [name]: value })}`),
  )
  fc.assert(property, { seed: 3, numRuns: 300 })
  expect(isParsedOrRefused(SMALLEST)).toBe(true)
})
