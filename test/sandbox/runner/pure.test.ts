import { describe, expect, it } from 'vitest'
import { Masks } from '../../../src/sandbox/runner/jobs/job-log.ts'
import { readEnvFile } from '../../../src/sandbox/runner/steps/step-files.ts'
import { parseCommand } from '../../../src/sandbox/runner/steps/step-output.ts'
import { evaluateCondition, evaluateText } from '../../../src/sandbox/runner/syntax/evaluate.ts'
import { expandMatrix, renderCombination } from '../../../src/sandbox/runner/syntax/matrix.ts'
import { jobPermissions } from '../../../src/sandbox/runner/syntax/permissions.ts'
import { readTemplateFile } from '../../../src/sandbox/runner/syntax/read-template.ts'
import { Expression, TemplateMap } from '../../../src/sandbox/runner/syntax/template.ts'

describe('a matrix', () => {
  it('a matrix is the product of its axes minus the exclusions', () => {
    const found = expandMatrix({ os: ['a', 'b'], n: [1, 2], exclude: [{ os: 'b', n: 1 }] })
    expect(found.map(renderCombination)).toEqual(['a, 1', 'a, 2', 'b, 2'])
  })

  it("a matrix adds included entries as GitHub's documented example does", () => {
    const found = expandMatrix({
      fruit: ['apple', 'pear'],
      animal: ['cat', 'dog'],
      include: [
        { color: 'green' },
        { color: 'pink', animal: 'cat' },
        { fruit: 'apple', shape: 'circle' },
        { fruit: 'banana' },
        { fruit: 'banana', animal: 'cat' },
      ],
    })
    expect(found).toEqual([
      { fruit: 'apple', animal: 'cat', color: 'pink', shape: 'circle' },
      { fruit: 'apple', animal: 'dog', color: 'green', shape: 'circle' },
      { fruit: 'pear', animal: 'cat', color: 'pink' },
      { fruit: 'pear', animal: 'dog', color: 'green' },
      { fruit: 'banana' },
      { fruit: 'banana', animal: 'cat' },
    ])
  })

  it('a matrix of included entries alone has only those', () => {
    expect(expandMatrix({ include: [{ a: 1 }, { a: 2 }] })).toEqual([{ a: 1 }, { a: 2 }])
  })
})

describe('the files that steps write', () => {
  it("a step's file can hold single lines and blocks", () => {
    const text = 'a=1\nb<<END\ntwo\n\nlines=x\nEND\nc=\nurl=http://x?y<<z\n'
    expect([...readEnvFile(text)]).toEqual([
      ['a', '1'],
      ['b', 'two\n\nlines=x'],
      ['c', ''],
      ['url', 'http://x?y<<z'],
    ])
  })

  it.each(['no sign', 'a<<END\nnever ended', 'a<<\nx\n'])("a step's file with %j is refused", (text) => {
    expect(() => readEnvFile(text)).toThrow(expect.objectContaining({ code: 'workflow-invalid' }))
  })
})

describe('workflow commands', () => {
  it.each([
    ['::group::One: two', { name: 'group', properties: {}, message: 'One: two' }],
    [
      '::error file=a%2Cb.js,line=3,title=C%3A::50%25 wrong%0Anext',
      { name: 'error', properties: { file: 'a,b.js', line: '3', title: 'C:' }, message: '50% wrong\nnext' },
    ],
    ['::notice title=a:b::c', { name: 'notice', properties: { title: 'a:b' }, message: 'c' }],
  ])('a workflow command is read from %s', (line, command) => {
    expect(parseCommand(line)).toEqual(command)
  })

  it('other lines are not workflow commands', () => {
    expect(parseCommand('std::vector::size')).toBeUndefined()
    expect(parseCommand(': ::')).toBeUndefined()
  })
})

describe('expressions', () => {
  it('expressions read contexts and print values as GitHub does', () => {
    const contexts = { inputs: { n: 0.5, list: [1, 2], on: true } }
    const text = (expression: string) => evaluateText(new Expression(expression), { contexts })
    expect(text("format('{0} {1}', inputs.n, inputs.on)")).toBe('0.5 true')
    expect(text('toJSON(inputs.list)')).toBe('[\n  1,\n  2\n]')
    expect(text('inputs.missing.deeper')).toBe('')
    expect(text("'it''s ''so'''")).toBe("it's 'so'")
    expect(() => text('nothing.known')).toThrow(expect.objectContaining({ code: 'workflow-invalid' }))
  })

  it('an expression in a multi-line script leaves quotes, braces and indentation alone', () => {
    const text = `name: n
description: d
runs:
  using: composite
  steps:
    - shell: bash
      run: |
        it's 'a' \${{ inputs.n }}
          and {b} ''c''
`
    const read = readTemplateFile('action', { name: 'action.yml', text })
    const steps = read.status === 'valid' ? read.template.findMap('runs')?.list('steps') : undefined
    const step = steps?.[0]
    const run = step instanceof TemplateMap ? step.find('run') : undefined
    expect(evaluateText(run, { contexts: { inputs: { n: 1 } } })).toBe("it's 'a' 1\n  and {b} ''c''\n")
  })

  it('a condition holds only after success unless it asks for another status', () => {
    const holds = (condition: string, success: boolean) =>
      evaluateCondition(condition, {
        contexts: {},
        status: { success, failure: !success, cancelled: false },
      })
    expect(holds('1 == 1', true)).toBe(true)
    expect(holds('1 == 1', false)).toBe(false)
    expect(holds("'failure()' == 'failure()'", false)).toBe(false)
    expect(holds('failure()', false)).toBe(true)
    expect(holds('!cancelled() && 1 == 1', false)).toBe(true)
  })
})

describe('masks', () => {
  it('masks hide every line of a secret, the longest first', () => {
    const masks = new Masks()
    masks.add('one')
    masks.add('one two')
    masks.add('first\nsecond\n')
    expect(masks.hide('one two, one, second.')).toBe('***, ***, ***.')
  })
})

describe("a job's permissions", () => {
  it("a job's permissions come from the job, then the workflow, then the repository's default", () => {
    const contents = new TemplateMap([['contents', 'write']])
    expect(jobPermissions([contents, 'read-all'], 'read')).toEqual({ metadata: 'read', contents: 'write' })
    expect(jobPermissions([undefined, new TemplateMap([])], 'write')).toEqual({ metadata: 'read' })
    expect(jobPermissions([undefined, undefined], 'read')).toEqual({
      metadata: 'read',
      contents: 'read',
      packages: 'read',
    })
    expect(jobPermissions([undefined, undefined], 'write')).toMatchObject({ pull_requests: 'write' })
  })
})
