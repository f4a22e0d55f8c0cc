import type { ChangedPath } from './changed-path.ts'

// Where the common runners look: Vitest, Jest, Mocha, node:test, pytest, unittest, go test, JUnit, xUnit, RSpec,
// PHPUnit, Catch2, GoogleTest.
const TEST_FILES = [
  /(^|\/)(tests?|__tests__|specs?)\//,
  /(^|\/)(test_[^/]*\.py|tests?\.[cm]?[jt]sx?)$/,
  /[._-](tests?|spec|unittest)\.[a-z]+$/,
  /(Tests?|Spec|IT)\.(java|kt|scala|cs|php|swift|groovy)$/,
]

// What declares one test.
const TEST_CASES = [
  /(?<![\w.$])(?:it|test|specify|bench|fit|xit|xtest|Deno\.test)(?:\.\w+)*\s*[(`]/g,
  /\bdef\s+test\w*\s*\(/g,
  /\bfunc\s+(?:Test|Benchmark|Fuzz|Example)\w*\s*\(/g,
  /#\[(?:\w+::)*test\b/g,
  /@(?:Test|ParameterizedTest)\b|\[(?:Fact|Theory|Test|TestMethod|TestCase)\b/g,
  /\bfunction\s+test\w*\s*\(|\bTEST(?:_F|_P|_CASE)?\s*\(|\bSCENARIO\s*\(/g,
]

// What keeps a test from running, or all the others: skip, only, focus, todo, expected failure.
const SKIPS = [
  // Vitest, Jest, Mocha, node:test, Jasmine, Playwright, Deno
  /\b(?:it|test|describe|suite|context|specify|bench)(?:\.\w+)*\.(?:skip|only|todo|fails|failing|fixme|ignore|skipIf|runIf)\b/g,
  /(?<![\w.$])(?:x(?:it|test|describe|context|specify)|f(?:it|describe|context))\s*[(`'"]/g,
  /\b(?:skip|only|todo|ignore)\s*:\s*(?:true|['"`])/g,
  /\b(?:t|b|f|tb|this|ctx|context)\.(?:skip|todo|Skip|SkipNow|Skipf)\s*\(/g,
  // pytest, unittest
  /\bpytest\.(?:mark\.(?:skip|skipif|xfail)|skip|xfail|importorskip)\b|\b__test__\s*=\s*False|\bcollect_ignore/g,
  /\b(?:skipIf|skipUnless|skipTest|SkipTest|expectedFailure)\b|\bunittest\.skip\b/g,
  // Rust, Go, JUnit, xUnit, NUnit, PHPUnit, GoogleTest
  /#\[\s*ignore\b|#\[cfg\(\s*any\(\s*\)\s*\)\]|\/\/go:build\s+ignore|\/\/\s*\+build\s+ignore/g,
  /@(?:Disabled|Ignore)\w*\b|\[(?:Ignore|Explicit)\b|\bSkip\s*=\s*"|\bmarkTest(?:Skipped|Incomplete)\b/g,
  /\bGTEST_SKIP\b|\bDISABLED_\w+/g,
  // RSpec
  /^\s*(?:pending|skip)\b/gm,
]

/** True when a test file is gone or emptied, or declares fewer tests than before. */
export function removesTests({ path, before, after }: ChangedPath): boolean {
  if (before === undefined || !mayHoldTests(path)) return false
  if (after === undefined && !path.endsWith('.rs')) return true
  if (before.text === undefined) return false
  const text = after?.text ?? ''
  const emptied = before.text.trim() !== '' && text.trim() === ''
  return emptied || count(TEST_CASES, text) < count(TEST_CASES, before.text)
}

/** True when a change adds what keeps tests from running. */
export function skipsTests({ path, before, after }: ChangedPath): boolean {
  return (
    after !== undefined && mayHoldTests(path) && count(SKIPS, after.text) > count(SKIPS, before?.text ?? '')
  )
}

// Rust keeps tests beside the code, so that any of its files may hold some.
function mayHoldTests(path: string): boolean {
  return path.endsWith('.rs') || TEST_FILES.some((pattern) => pattern.test(path))
}

function count(patterns: readonly RegExp[], text: string): number {
  return patterns.reduce((sum, pattern) => sum + (text.match(pattern)?.length ?? 0), 0)
}
