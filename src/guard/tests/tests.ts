import type { ChangedPath } from '../changed-path.ts'
import { giveTurn } from '../give-turn.ts'
import { findTests, stripComments, type TestDeclaration } from './test-declarations.ts'

// Where common runners look for tests: Vitest, Jest, Mocha, node:test, pytest, unittest, go test, JUnit, xUnit, NUnit,
// RSpec, PHPUnit, Catch2, GoogleTest, Cypress, Bats.
const TEST_FILES = [
  /(^|\/)([^/]*[._-])?((unit|integration)?tests?|__tests__|specs?)\//i,
  /[a-z](Tests?|Spec)\//,
  /(^|\/)(test[^/]*\.py|tests?\.[cm]?[jt]sx?|test-[^/]*\.[cm]?[jt]sx?)$/,
  /[._-](tests?|spec|unittest)\.[a-z]+$|\.(cy|e2e|e2e-spec)\.[cm]?[jt]sx?$|\.bats$/,
  /(Tests?|Spec|IT)\.(java|kt|scala|cs|php|swift|groovy)$/,
  /(^|\/)Test[A-Z][^/]*\.(java|kt|scala|cs|php|swift|groovy)$/,
]

// Keeps the next test, or all others, from running: skip, only, focus, todo, expected failure.
const SKIPS_NEXT = [
  // Vitest, Jest, Mocha, node:test, Jasmine, Playwright, Deno
  /\b(?:it|test|describe|suite|context|specify|bench)(?:\??\.\w+)*\??\.(?:skip|only|todo|fails|failing|fixme|ignore|skipIf|runIf)\b/g,
  /\b(?:it|test|describe|suite|context|specify|bench)(?:\??\.\w+)*(?:\?\.)?\[\s*["'`](?:skip|only|todo|fails|failing|fixme|ignore)/g,
  /\b(?:skip|only|todo)\b[^{}]{0,100}\}\s*=\s*(?:it|test|describe)\b/g,
  /(?<![\w.$])(?:x(?:it|test|describe|context|specify)|f(?:it|describe|context))\s*[(`'"]/g,
  // Options of Vitest and node:test that invert the verdict, in an options position.
  /\(\s*(["'`])(?:(?!\1)[^\n]){0,200}\1\s*,\s*\{[^{}]{0,200}\b(?:fails|failing|expectFailure)\b(?!["']?\s*:\s*(?:false|null|undefined)\s*[,}])/g,
  // pytest, unittest. Match blanks before the first word of a line, but not blank lines: searching from each of them
  // would take quadratic time.
  /\bmark\.(?:skip|skipif|xfail)\b|^[ \t]*@(?:\w+\.)*(?:skip|xfail)\w*|\b__test__\s*=\s*False|\bcollect_ignore/gm,
  /\b(?:skipIf|skipUnless|expectedFailure)\b|\bunittest\.skip\b/g,
  // Rust, Go, JUnit, TestNG, xUnit, NUnit, Catch2, GoogleTest, ExUnit, Julia
  /#\[\s*ignore\b|#\[cfg\(\s*any\(\s*\)\s*\)\]|#\[\s*cfg_attr\s*\([^\]]{0,200}\bignore\b/g,
  /@Test\s*\([^)]{0,200}?\benabled\s*=\s*false|@(?:module|describe)?tag\s+:?(?:skip|pending)\b|@test_(?:skip|broken)\b/g,
  /@(?:Disabled|Enabled|Ignore)\w*\b|[[,]\s*(?:Ignore|Explicit)\b|\bSkip\s*=\s*"/g,
  /\b(?:TEST_CASE\w*|SCENARIO)\s*\([^)]{0,300}?\[(?:\.|!|hide)/g,
  /\bDISABLED_\w+/g,
]

// Keeps the surrounding test from running.
const SKIPS_INSIDE = [
  // Options with any value: only the run decides what the value is.
  /\b(?:skip|only|todo|ignore|focus)["']?\s*:(?!:)(?!\s*(?:false|null|undefined)\s*[,}])/g,
  /[{,]\s*(?:skip|only|todo)\s*(?=[,}])/g,
  /\b(?:t|b|f|tb|this|ctx|context)\.(?:skip|todo|Skip)\s*\(|\.(?:skip|todo)\s*\(\s*[)"'`]|\.Skip(?:Now|f)\s*\(/g,
  /\bpytest\.(?:skip|xfail|importorskip|exit)\b|\b(?:skipTest|SkipTest)\b/g,
  /\bmarkTest(?:Skipped|Incomplete)\b|\bGTEST_SKIP\b|\bXCTSkip/g,
  /\bassum(?:e(?:True|False|That|NotNull|NoException)|ingThat)\s*\(|\b(?:Assume\.|Assert\.(?:Ignore|Inconclusive))/g,
  // RSpec, Bats
  /^[ \t]*(?:pending|skip)\b(?=[ \t]*(?:[("';#}]|$|if\b|unless\b|do\b))|,\s*:(?:skip|pending|focus)\b/gm,
]
// Ends the process, and with it the tests still to come: most runners have no result then, and exit code 0. A code that says
// failure does no harm.
const ENDINGS = [
  /\b(?:process|Deno)\??\.(?:exit|reallyExit)\s*\((?!\s*[1-9])|\bprocess\.exitCode\s*=(?!=)(?!\s*[1-9])|\bprocess\.kill\s*\(\s*process\b/g,
  /\b_exit\b(?!\s*\(\s*[1-9])|\bsys\.exit\s*\((?!\s*(?:[1-9]|main\(|pytest\.|unittest\.))|\braise\s+SystemExit\b(?!\s*\(\s*[1-9])|\bos\.kill\s*\(\s*os\.getpid\b/g,
  /\bSystem\.(?:exit|halt)\s*\((?!\s*[1-9])|\.halt\s*\(\s*0|\bexitProcess\s*\((?!\s*[1-9])|\bEnvironment\.Exit\s*\((?!\s*[1-9])/g,
  /\bprocess::exit\s*\((?!\s*[1-9])|\b(?:quick_exit|_Exit|exit)\s*\(\s*(?:0|EXIT_SUCCESS|true)?\s*\)/g,
]
// In a shell script this is the usual end.
const ENDING_STATEMENTS = [/^[ \t]*(?:exit!?|die)[ \t]*(?:$|;|0\b|true\b)/gm]

// Go only. TestMain replaces all tests. Skip is not in the common list because LINQ uses that name too.
const GO_SKIPS_NEXT = [/\bfunc\s+TestMain\b/g]
const GO_SKIPS_INSIDE = [/\.Skip\s*\(/g, /\bos\.Exit\(\s*0\s*\)/g]

// Looks like a comment, but excludes a file from the build.
const BUILD_CONSTRAINTS = /^\/\/(?:go:build|\s*\+build)\s.*$/gm

/** True when a test file was removed or emptied, or when one of its tests was removed or lost its assertions. */
export function removesTests({ path, before, after }: ChangedPath): boolean {
  if (before === undefined || !mayHoldTests(path)) return false
  if (after === undefined && !path.endsWith('.rs')) return true
  if (before.text === undefined) return false
  const [was, is] = [testTextOf(path, before), testTextOf(path, after)]
  if (was.plain.trim() !== '' && is.plain.trim() === '') return true
  const asserting = (tests: readonly TestDeclaration[]) => namesOf(tests.filter(({ asserts }) => asserts))
  // Compare by name: another test does not make up for a removed one.
  return (
    was.tests.length > 0 &&
    (exceeds(namesOf(was.tests), namesOf(is.tests)) || exceeds(asserting(was.tests), asserting(is.tests)))
  )
}

/** True when a change keeps a test from running, even if it enables another. */
export function skipsTests({ path, before, after }: ChangedPath): boolean {
  if (after === undefined || !mayHoldTests(path)) return false
  return (
    exceeds(findSkips(path, after), findSkips(path, before)) ||
    // Search the comments too: text that only looks like a comment to our patterns hides nothing.
    exceeds(findWords(path, after.text), findWords(path, before?.text ?? ''))
  )
}

/** Reads the tests of a changed file in several turns, so that the checks find them known. */
export async function readTests({ path, before, after }: ChangedPath): Promise<void> {
  if (before === undefined || !mayHoldTests(path)) return
  for (const version of [before, after]) {
    const { plain } = testTextOf(path, version)
    await giveTurn(plain.length)
    if (testTextOf(path, version).tests.length > 0) await giveTurn(plain.length)
  }
}

type Version = { readonly text?: string } | undefined

/** A test file as the checks read it. */
class TestText {
  readonly #path: string
  readonly text: string
  #plain: string | undefined
  #tests: readonly TestDeclaration[] | undefined

  constructor(path: string, text: string) {
    this.#path = path
    this.text = text
  }

  /** The text without comments. */
  get plain(): string {
    this.#plain ??= stripComments(this.#path, this.text)
    return this.#plain
  }

  get tests(): readonly TestDeclaration[] {
    this.#tests ??= findTests(this.#path, this.plain)
    return this.#tests
  }
}

// Several checks read each version of a file, and reading takes long.
const known = new WeakMap<object, TestText>()

function testTextOf(path: string, version: Version): TestText {
  if (version === undefined) return new TestText(path, '')
  const text = known.get(version) ?? new TestText(path, version.text ?? '')
  known.set(version, text)
  return text
}

// Rust keeps tests beside the code, so any Rust file may contain some.
function mayHoldTests(path: string): boolean {
  return path.endsWith('.rs') || isTestFile(path)
}

function isTestFile(path: string): boolean {
  return TEST_FILES.some((pattern) => pattern.test(path))
}

function namesOf(tests: readonly TestDeclaration[]): string[] {
  return tests.map(({ name }) => name)
}

/** Every skip, with the name of its test. */
function findSkips(path: string, version: Version): string[] {
  const read = testTextOf(path, version)
  const find = (patterns: readonly RegExp[], offset: number): string[] =>
    patterns.flatMap((pattern) =>
      [...read.plain.matchAll(pattern)].map(({ 0: said, index }) => {
        return `${said.trim()} ${read.tests[countBefore(read.tests, index) + offset]?.name}`
      }),
    )
  const constraints = read.text.match(BUILD_CONSTRAINTS) ?? []
  return [...find(skipsNext(path), 0), ...find(skipsInside(path), -1), ...constraints]
}

function findWords(path: string, text: string): string[] {
  return [...skipsNext(path), ...skipsInside(path)].flatMap((pattern) => text.match(pattern) ?? [])
}

function skipsNext(path: string): readonly RegExp[] {
  return path.endsWith('.go') ? [...SKIPS_NEXT, ...GO_SKIPS_NEXT] : SKIPS_NEXT
}

function skipsInside(path: string): readonly RegExp[] {
  return [
    ...SKIPS_INSIDE,
    ...(path.endsWith('.go') ? GO_SKIPS_INSIDE : []),
    ...(isTestFile(path) ? ENDINGS : []),
    ...(isTestFile(path) && /\.(rb|php)$/.test(path) ? ENDING_STATEMENTS : []),
  ]
}

/** How many tests have their names before an index. Binary search, because hostile text may contain very many. */
function countBefore(tests: readonly TestDeclaration[], index: number): number {
  let [low, high] = [0, tests.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((tests[middle]?.index ?? 0) < index) low = middle + 1
    else high = middle
  }
  return low
}

/** True when the first list contains something more often than the second. */
function exceeds(some: readonly string[], others: readonly string[]): boolean {
  const left = new Map<string, number>()
  for (const each of others) left.set(each, (left.get(each) ?? 0) + 1)
  return some.some((each) => {
    const count = left.get(each) ?? 0
    left.set(each, count - 1)
    return count <= 0
  })
}
