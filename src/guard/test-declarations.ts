/** One test of a file, as far as patterns can tell. */
export interface TestDeclaration {
  /** Empty where the name is not in the text. */
  readonly name: string
  /** Where the name stands, or the declaration where there is none. */
  readonly index: number
  /** Whether anything is checked between this test and the next. */
  readonly asserts: boolean
}

// An escaped character begins nothing, inside of a string or outside. (It also keeps hostile text from costing much time:
// a quote that is never closed is looked for once.)
const STRING = /\\.|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/.source

// Where no value stands before it, a slash begins a regular expression of JavaScript's, which may hold all those marks.
// A short one: an end that never comes must not be looked for far.
const REGEX =
  /\/(?<=(?:^|[(,=:[!&|?{};\n]|\breturn)\s*\/)(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n]){0,100}\]|[^/\\\n[]){1,200}\//
    .source

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

// What declares a test, and where its name is looked for.
const DECLARATIONS: readonly { readonly head: RegExp; readonly name: RegExp }[] = [
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
  { head: /#\[(?:\w+::)*test\b/g, name: /\bfn\s+(?<name>\w+)/ },
  {
    head: /@(?:Test|ParameterizedTest|RepeatedTest)\b|\[(?:\w+\s*,\s*)*(?:Fact|Theory|Test|TestMethod|TestCase)\b/g,
    name: /\b(?:void|fun|def|Task)\s+(?<name>`[^`]+`|\w+)|\s(?<other>\w+)\s*\(/,
  },
  {
    head: /\bTEST(?:_F|_P|_CASE|_CASE_METHOD)?\s*(?=\()|\bSCENARIO\s*(?=\()/g,
    name: /^\((?<name>[^,)]*,?[^,)]*)/,
  },
]

const ASSERTIONS =
  /\b(?:expect|assert|should|verify|check|require|ensure|fail|raise|throw|panic|eq|ok|is|must|refute)|\.(?:Error|Fatal)/i

/** The tests that a text without comments declares, in its order. */
export function findTests(text: string): TestDeclaration[] {
  const found = DECLARATIONS.flatMap(({ head, name }) =>
    [...text.matchAll(head)].map((match) => locate(text, match.index + match[0].length, name)),
  ).sort((a, b) => a.index - b.index)
  return found.map((test, at) => {
    const body = text.slice(test.index + test.name.length, found[at + 1]?.index)
    return { ...test, asserts: ASSERTIONS.test(body) }
  })
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
