import { blankStrings, QUOTED, REGEX } from './string-contents.ts'

/** One test of a file, as far as patterns can tell. */
export interface TestDeclaration {
  /** Empty if the name is not in the text. */
  readonly name: string
  /** The position of the name, or of the declaration if there is no name. */
  readonly index: number
  /** Whether there is an assertion between this test and the next. */
  readonly asserts: boolean
}

const STRING = `${QUOTED}|\`(?:\\\\.|[^\`\\\\])*\``

// Captured text is kept. Strings come first, so comment marks inside one do not start a comment.
const COMMENTS = {
  hash: new RegExp(`"""[\\s\\S]*?(?:"""|$)|'''[\\s\\S]*?(?:'''|$)|(${STRING})|#[^\\n]*`, 'g'),
  ruby: new RegExp(`(${STRING})|^=begin[\\s\\S]*?(?:^=end|(?![\\s\\S]))|#[^\\n]*`, 'gm'),
  slashes: new RegExp(
    `(${STRING}|${REGEX})|//[^\\n]*|/\\*[\\s\\S]*?(?:\\*/|$)|#if 0\\b[\\s\\S]*?(?:#(?:endif|else)\\b|$)`,
    'g',
  ),
} as const

/** The text without comments: a test that is commented out is not a test. */
export function stripComments(path: string, text: string): string {
  const kind = /\.(py|pyi|sh|bats|ex|exs|jl|r)$/i.test(path)
    ? 'hash'
    : /\.rb$/.test(path)
      ? 'ruby'
      : 'slashes'
  const parts: string[] = []
  let copied = 0
  for (const { 0: found, 1: kept, index } of text.matchAll(COMMENTS[kind])) {
    if (kept !== undefined) continue
    parts.push(text.slice(copied, index), ' ')
    copied = index + found.length
  }
  parts.push(text.slice(copied))
  return parts.join('')
}

const CALLS =
  /(?<![\w.$])(?:it|test|specify|bench|fit|xit|xtest|Deno\.test)(?:\??\.\w+|\[[^\]\n]{0,40}\])*\s*(?=[(`])/

interface Declaration {
  readonly head: RegExp
  /** Where to look for the name after the head. */
  readonly name: RegExp
  /** True for a group: its tests have their own assertions. */
  readonly isGroup?: true
}

// The patterns that declare a test.
const DECLARATIONS: readonly Declaration[] = [
  // A table of cases comes between the call and the name.
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
  // XCTest. Its tests take no parameters, unlike Go helpers.
  { head: /\bfunc\s+(?=test\w{0,200}\s*\(\s*\))/g, name: /^(?<name>\w+)/ },
  // Bats tests have names. In Julia only test sets do; a single test is an assertion.
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

// A test that is compiled conditionally does not count, because the text does not show whether it ever runs. The usual
// condition, `cfg(test)` on the module, must stay unchanged and alone.
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
// The same for a whole file or module, from the inside.
const RUST_FILE_CONDITION = /#!\[\s*cfg\s*\((?!\s*test\s*\))/
// pytest only looks into classes with this name, unittest into classes of this kind.
const PYTHON_DECLARATIONS: readonly Declaration[] = [
  {
    head: /^[ \t]*class[ \t]+(?=Test|\w{1,200}[ \t]*\([^)]{0,200}TestCase\b)/gm,
    name: /^(?<name>\w+)/,
    isGroup: true,
  },
]
// If a package has TestMain, its tests run only through this call.
const GO_DECLARATIONS: readonly Declaration[] = [
  { head: /\bm\.(?=Run\(\s*\))/g, name: /^(?<name>Run)/, isGroup: true },
]

const ASSERTIONS =
  /\b(?:expect|assert|should|verify|check|require|ensure|fail|raise|throw|panic|eq|ok|is|must|refute)|\.(?:Error|Fatal)/i

/** The tests in a text without comments, in text order. */
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

// Far enough for a table of cases. A missing name must not cost a scan of the whole file.
const NAME_WITHIN = 2000

function locate(text: string, from: number, pattern: RegExp): Pick<TestDeclaration, 'name' | 'index'> {
  const match = pattern.exec(text.slice(from, from + NAME_WITHIN))
  const name = match?.groups?.name ?? match?.groups?.other
  if (match === null || name === undefined) return { name: '', index: from }
  // Google Test skips tests by name.
  return {
    name: name.replaceAll('DISABLED_', '').trim(),
    index: from + match.index + match[0].lastIndexOf(name),
  }
}
