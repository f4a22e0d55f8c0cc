import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import type { GateExpectation } from '../../../src/config/campaign-config.ts'
import { readJUnit } from '../../../src/pipeline/measuring/junit.ts'
import { aRepository } from '../../support/repository.ts'
import { anEvaluation, aWorkbench } from '../../support/workbench.ts'

const PASSED = '<testsuite tests="2"><testcase name="a"/><testcase name="b"></testcase></testsuite>'

async function pass(
  command: string,
  expectation: GateExpectation | undefined,
  files: Readonly<Record<string, string>> = {},
) {
  const { evaluate } = await aWorkbench(aRepository({ 'src/a.js': '1\n', ...files }))
  const gates = [{ name: 'g', command, timeoutSeconds: 20, expect: expectation }]
  const outcome = await evaluate(anEvaluation({ command: 'echo 1', gates }))
  return outcome.status === 'failed' ? `${outcome.reason}: ${outcome.detail}` : outcome.status
}

describe('what a gate expects', () => {
  it.each<[claim: string, command: string, output: string]>([
    ['on stdout', 'echo; echo 12 passed', '^12 passed$'],
    ['on stderr', 'echo ok 3 >&2', 'ok [0-9]+'],
    ['between colours', `printf '\\033[32m12 passed\\033[0m\\n'`, '^12 passed$'],
  ])('a gate passes with the expected output %s', async (_, command, output) => {
    expect(await pass(command, { output })).toBe('measured')
  })

  it('a gate that exits with 0 fails without the expected output', async () => {
    expect(await pass('echo bye', { output: '[0-9]+ passed' })).toBe(
      'gate-failed: g: exit code 0, but the output does not match [0-9]+ passed\nbye',
    )
    // The control.
    expect(await pass('echo bye', undefined)).toBe('measured')
  })

  it('output that makes a pattern backtrack for ever fails the gate', async () => {
    const command = `printf '%050d!\\n' 0`
    expect(await pass(command, { output: '^(0+)+$' })).toMatch(/^gate-failed: g: .* took too long/)
  })

  const junit = { file: 'out/report.xml', tests: 2 }
  it.each<[claim: string, report: string, says: string]>([
    ['a complete report', PASSED, 'measured'],
    ['a failure', '<testsuite><testcase/><testcase><failure/></testcase></testsuite>', 'has failures: 1'],
    ['an error', '<testsuite><testcase/><testcase><error/></testcase></testsuite>', 'has failures: 1'],
    ['a suite that failed', PASSED.replace('tests="2"', 'errors="1"'), 'has failures: 1'],
    ['too few tests', '<testsuite><testcase/></testsuite>', 'has 1 tests that ran (0 skipped), and 2 are'],
    ['skipped tests', '<testsuite><testcase/><testcase><skipped/></testcase></testsuite>', '(1 skipped)'],
    ['half a report', PASSED.slice(0, -5), 'is unreadable: it is not well-formed'],
    ['an open report', PASSED.replace('</testsuite>', ''), 'is unreadable: <testsuite> is not closed'],
  ])('judges a gate by its report: %s', async (_, report, says) => {
    expect(await pass(`mkdir -p out; echo '${report}' >out/report.xml`, { junit })).toContain(says)
  })

  it('a report that the candidate brought along does not count', async () => {
    const files = { 'out/report.xml': PASSED }
    expect(await pass('true', { junit }, files)).toContain('there is no report out/report.xml')
  })

  it('a link in place of the report does not count', async () => {
    const command = 'mkdir -p out; ln -s ../src/a.js out/report.xml'
    expect(await pass(command, { junit })).toContain('there is no report')
  })

  const hasPytest = spawnSync('python3', ['-m', 'pytest', '--version']).status === 0
  it.runIf(hasPytest)('os._exit(0) under pytest is no pass', async () => {
    const files = {
      'sum.py': 'import os\nos._exit(0)\n',
      'test_sum.py': 'import sum as s\ndef test_a(): assert False\n',
    }
    const run = (expectation: GateExpectation | undefined) =>
      pass('python3 -m pytest -q -p no:cacheprovider --junitxml=out.xml test_sum.py', expectation, files)
    expect(await run({ output: '1 passed' })).toMatch(/^gate-failed/)
    expect(await run({ junit: { file: 'out.xml', tests: 1 } })).toMatch(/^gate-failed.*no report out\.xml/)
    // The control: without an expectation it passes.
    expect(await run(undefined)).toBe('measured')
  })
})

describe('JUnit reports', () => {
  it.each([
    ['a header and a comment', `<?xml version="1.0"?><!-- <failure/> -->${PASSED}`, { ran: 2, failed: 0 }],
    [
      'output in a CDATA section',
      `<testsuites><testsuite><testcase name='a>b'/><system-out><![CDATA[<failure>]]></system-out></testsuite></testsuites>`,
      { ran: 1, failed: 0 },
    ],
    [
      'several suites',
      '<testsuites><testsuite><testcase/></testsuite><testsuite failures="0"><testcase><skipped message="x"/></testcase></testsuite></testsuites>',
      { ran: 1, skipped: 1, failed: 0 },
    ],
  ])('reads %s', (_, xml, counts) => {
    expect(readJUnit(xml)).toMatchObject({ status: 'read', ...counts })
  })

  it.each([
    '',
    'ok',
    '<html></html>',
    `${PASSED}${PASSED}`,
    '<testsuite><a></b></testsuite>',
    '<!-- ',
    '<testsuite x="<"/>',
  ])('refuses %j', (xml) => {
    expect(readJUnit(xml)).toMatchObject({ status: 'unreadable' })
  })

  it.each(['<!--', '<![CDATA[', '<testsuite ', '<testsuite>', '<testsuite a="', ' '])(
    'reads a million times %j without delay',
    (part) => {
      expect(readJUnit(`<testsuite>${part.repeat(1_000_000)}`).status).toBe('unreadable')
    },
  )
})
