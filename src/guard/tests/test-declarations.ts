import { blankStrings, QUOTED, REGEX } from './string-contents.ts'

/** One test of a file, as far as patterns can tell. */
export interface TestDeclaration {
  /** Empty where the name is not in the text. */
  readonly name: string
  /** Where the name stands, or the declaration where there is none. */
  readonly index: number
  /** Whether anything is checked between this test and the next. */
  readonly asserts: boolean
}

const STRING = `${QUOTED}|\`(?:\\\\.|[^\`\\\\])*\``

// What is kept comes first: the marks of a comment inside of a string begin none.
const COMMENTS = {
  hash: new RegExp(`"""[\\s\\S]*?(?:"""|$)|'''[\\s\\S]*?(?:'''|$)|(${STRING})|#[^\\n]*`, 'g'),
  ruby: new RegExp(`(${STRING})|^=begin[\\s\\S]*?(?:^=end|(?![\\s\\S]))|#[^\\n]*`, 'gm'),
  slashes: new RegExp(
    `(${STRING}|${REGEX})|//[^\\n]*|/\\*[\\s\\S]*?(?:\\*/|$)|#if 0\\b[\\s\\S]*?(?:#(?:endif|else)\\b|$)`,
    'g',
  ),
} as const

/** The text without comments: a test that is commented out is none. */
export function stripComments(path: string, text: string): string {
  const kind = /\.(py|pyi|sh|bats|ex|exs|jl|r)$/i.test(path)
    ? 'hash'
    : /\.rb$/.test(path)
      ? 'ruby'
      : 'slashes'
  return text.replaceAll(COMMENTS[kind], (_, kept: string | undefined) => kept ?? ' ')
}

const CALLS =
  /(?<![\w.$])(?:it|test|specify|bench|fit|xit|xtest|Deno\.test)(?:\??\.\w+|\[[^\]\n]{0,40}\])*\s*(?=[(`])/

interface Declaration {
  readonly head: RegExp
  /** Where the name is looked for, after the head. */
  readonly name: RegExp
  /** Whether it only holds tests, which check for themselves. */
  readonly isGroup?: true
}

// What declares a test.
const DECLARATIONS: readonly Declaration[] = [
  // A table of cases stands between the call and the name.
  {
    head: new RegExp(`${CALLS.source}(?<=\\.(?:each|for)\\s*)`, 'g'),
    name: /[)`]\s*\(\s*(["'`])(?<name>.*?)\1/s,
  },
  {
    head: new RegExp(`${CALLS.source}(?<!\\.(?:each|for)\\s*)`, 'g'),
    name: /^\(\s*(["'`])(?<name>.*?)\1/s,
  },
  // RSpec and minitest, without parentheses.
  {
    head: /^[ \t]*(?:it|test|specify|scenario|example|xit|fit)(?=\s+["'])/gm,
    name: /^\s+(["'])(?<name>.*?)\1/,
  },
  { head: /\bdef\s+(?=test)/g, name: /^(?<name>\w+)/ },
  { head: /\bfunc\s+(?=Test|Benchmark|Fuzz|Example)|\bfunction\s+(?=test)/g, name: /^(?<name>\w+)/ },
  // XCTest. Its tests take nothing, unlike a helper of Go's.
  { head: /\bfunc\s+(?=test\w{0,200}\s*\(\s*\))/g, name: /^(?<name>\w+)/ },
  // Bats has names; Julia only sets of tests do, a test is its assertion.
  { head: /@test(?:set)?\b/g, name: /^[ \t]+(?:\w+[ \t]+)?(["'])(?<name>.*?)\1/ },
  {
    head: /@(?:Test|ParameterizedTest|RepeatedTest)\b|\[(?:\w+\s*,\s*)*(?:Fact|Theory|Test|TestMethod|TestCase)\b/g,
    name: /\b(?:void|fun|def|Task)\s+(?<name>`[^`]+`|\w+)|\s(?<other>\w+)\s*\(/,
  },
  {
    head: /\bTEST(?:_F|_P|_CASE|_CASE_METHOD)?\s*(?=\()|\bSCENARIO\s*(?=\()/g,
    name: /^\((?<name>[^,)]*,?[^,)]*)/,
  },
]

// A test that is built under a condition is none: whether it ever runs is not in the text. The usual one, `cfg(test)`
// of the module around, must stay as it is, with no other beside it.
const OTHERS = /(?:#\[(?!\s*cfg)[^\]]{0,200}\]\s{0,100}){0,5}/.source
const UNCONDITIONAL = `#\\[(?<!#\\[\\s*cfg\\b[^\\]]{0,200}\\]\\s{0,100}${OTHERS}#\\[)`
const RUST_DECLARATIONS: readonly Declaration[] = [
  {
    head: new RegExp(
      `${UNCONDITIONAL}(?:\\w+::)*test\\b(?![^\\]]{0,200}\\]\\s{0,100}${OTHERS}#\\[\\s*cfg\\b)`,
      'g',
    ),
    name: /\bfn\s+(?<name>\w+)/,
  },
  {
    head: new RegExp(
      `${UNCONDITIONAL}\\s*cfg\\(\\s*test\\s*\\)\\s*\\]\\s*${OTHERS}(?=(?:pub\\S*\\s+)?mod\\s)`,
      'g',
    ),
    name: /\bmod\s+(?<name>\w+)/,
    isGroup: true,
  },
]
// The same for all of a file or a module, from inside.
const RUST_FILE_CONDITION = /#!\[\s*cfg\s*\((?!\s*test\s*\))/
// pytest looks into classes of this name only, unittest into those of this kind.
const PYTHON_DECLARATIONS: readonly Declaration[] = [
  {
    head: /^[ \t]*class[ \t]+(?=Test|\w{1,200}[ \t]*\([^)]{0,200}TestCase\b)/gm,
    name: /^(?<name>\w+)/,
    isGroup: true,
  },
]
// Where a package has this, nothing of it runs but by this call.
const GO_DECLARATIONS: readonly Declaration[] = [
  { head: /\bm\.(?=Run\(\s*\))/g, name: /^(?<name>Run)/, isGroup: true },
]

const ASSERTIONS =
  /\b(?:expect|assert|should|verify|check|require|ensure|fail|raise|throw|panic|eq|ok|is|must|refute)|\.(?:Error|Fatal)/i

/** The tests that a text without comments declares, in its order. */
export function findTests(path: string, text: string): TestDeclaration[] {
  const code = codeOf(path, text)
  const found = declarationsOf(path)
    .flatMap(({ head, name, isGroup = false }) =>
      [...code.matchAll(head)].map((match) => {
        return { ...locate(text, match.index + match[0].length, name), isGroup }
      }),
    )
    .sort((a, b) => a.index - b.index)
  return found.map(({ name, index, isGroup }, at) => {
    const body = code.slice(index + name.length, found[at + 1]?.index)
    return { name, index, asserts: !isGroup && ASSERTIONS.test(body) }
  })
}

function codeOf(path: string, text: string): string {
  const end = path.endsWith('.rs') ? text.search(RUST_FILE_CONDITION) : -1
  return end < 0 ? blankStrings(path, text) : text.slice(0, end)
}

function declarationsOf(path: string): readonly Declaration[] {
  if (path.endsWith('.rs')) return [...DECLARATIONS, ...RUST_DECLARATIONS]
  if (path.endsWith('.py')) return [...DECLARATIONS, ...PYTHON_DECLARATIONS]
  return path.endsWith('.go') ? [...DECLARATIONS, ...GO_DECLARATIONS] : DECLARATIONS
}

// Far enough for a table of cases, and no further: a name that is not there must not cost a scan of the whole file.
const NAME_WITHIN = 2000

function locate(text: string, from: number, pattern: RegExp): Pick<TestDeclaration, 'name' | 'index'> {
  const match = pattern.exec(text.slice(from, from + NAME_WITHIN))
  const name = match?.groups?.name ?? match?.groups?.other
  if (match === null || name === undefined) return { name: '', index: from }
  // Google Test skips by the name.
  return {
    name: name.replaceAll('DISABLED_', '').trim(),
    index: from + match.index + match[0].lastIndexOf(name),
  }
}
