import { describe, expect, it } from 'vitest'
import { findConfigProblems, parseConfig } from '../../src/config/file/parse.ts'
import { type FoundProblem, listProblems, MAX_PROBLEMS } from '../../src/config/file/problem.ts'
import { SMALLEST } from './examples.ts'

const unknownKeys = (count: number) =>
  Array.from({ length: count }, (_, index) => `kee${index}: 1\n`).join('')
const campaigns = (count: number) =>
  `campaigns:\n${Array.from({ length: count }, (_, index) => `  c${index}: {}\n`).join('')}`

/** Problems that count how often somebody asks for their hint. */
function countHints(count: number): { readonly found: FoundProblem[]; readonly asked: () => number } {
  let asked = 0
  const explain = (): string => {
    asked++
    return 'Mend it.'
  }
  const found = Array.from({ length: count }, (_, index) => ({
    path: `k${index}`,
    line: count - index,
    column: 1,
    message: 'is wrong',
    explain,
  }))
  return { found, asked: () => asked }
}

describe('a config with thousands of problems', () => {
  it('lists the first problems and says how many more there are', () => {
    const problems = findConfigProblems(`${SMALLEST}${unknownKeys(1000)}`)
    expect(problems).toHaveLength(MAX_PROBLEMS + 1)
    expect(problems[0]).toMatchObject({ line: 6, path: 'kee0' })
    expect(problems.at(-1)).toEqual({
      path: '',
      line: 6 + MAX_PROBLEMS,
      column: 1,
      message: `${1000 - MAX_PROBLEMS} more problems are not listed`,
      hint: 'Fix the problems above first.',
    })
  })

  it('lists exactly as many problems as fit without a last line', () => {
    expect(findConfigProblems(`${SMALLEST}${unknownKeys(MAX_PROBLEMS)}`)).toHaveLength(MAX_PROBLEMS)
    const messages = findConfigProblems(`${SMALLEST}${unknownKeys(MAX_PROBLEMS + 1)}`).map((it) => it.message)
    expect(messages.at(-1)).toBe('1 more problem is not listed')
  })

  it('a hint is worked out for listed problems only', () => {
    const { found, asked } = countHints(18_500)
    expect(listProblems(found)).toHaveLength(MAX_PROBLEMS + 1)
    expect(asked()).toBe(MAX_PROBLEMS)
  })

  it('a problem that many campaigns inherit is explained once', () => {
    const { found, asked } = countHints(3)
    expect(listProblems([...found, ...found, ...found])).toHaveLength(3)
    expect(asked()).toBe(3)
    expect(
      findConfigProblems(`${SMALLEST}${unknownKeys(20)}${campaigns(50)}`).map(({ path }) => path),
    ).toHaveLength(20)
  })
})

describe('a config that would be slow to check', () => {
  it.each([
    ['18,500 unknown keys and 100 campaigns', `${SMALLEST}${unknownKeys(18_500)}${campaigns(100)}`],
    ['a list of 100,000 numbers', `${SMALLEST}notes: [${'1,'.repeat(100_000)}]\n`],
    ['100,000 empty lines', `${SMALLEST}${'\n'.repeat(100_000)}`],
    ['100,000 commas', `${SMALLEST}x: [${','.repeat(100_000)}`],
  ])('refuses %s before anything is built from it', (_name, text) => {
    expect(findConfigProblems(text).map(({ message }) => message)).toEqual([
      'the file has too many lines or values',
    ])
  })

  it('refuses shared values that 100 campaigns would multiply', () => {
    const problems = findConfigProblems(`${SMALLEST}${unknownKeys(500)}${campaigns(100)}`)
    expect(problems).toMatchObject([{ line: 506, path: 'campaigns', message: 'expands to too many values' }])
  })

  it('refuses aliases that campaigns would multiply', () => {
    const shared = `x: &x [${'1, '.repeat(1000)}]\n`
    const named = Array.from({ length: 50 }, (_, index) => `  c${index}: { y: *x }\n`).join('')
    const problems = findConfigProblems(`${SMALLEST}${shared}campaigns:\n${named}`)
    expect(problems.map(({ message }) => message)).toEqual(['expands to too many values'])
  })

  it('reads 100 campaigns that share an ordinary config', () => {
    expect(parseConfig(`${SMALLEST}${campaigns(100)}`, 'f').campaigns.size).toBe(100)
  })

  it('shortens a key that is longer than any known one', () => {
    const [problem] = findConfigProblems(`${SMALLEST}${'k'.repeat(1000)}: 1\n`)
    expect(problem?.path).toBe(`${'k'.repeat(100)}…`)
  })
})
