import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/file/load.ts'

// What an evaluator says that somebody starts by hand.
const NOTICE = 'loreley-candidate is missing outside Loreley: the candidate runs as a plain child\n'
const EXAMPLE = fileURLToPath(new URL('../../examples/word-count', import.meta.url))

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'loreley-words-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

type Script = 'check.mjs' | 'evaluate.mjs' | 'held-out.mjs'

/** Runs a script of the example on a candidate that differs from it in the given files. */
function run(script: Script, files: Readonly<Record<string, string>> = {}) {
  cpSync(EXAMPLE, folder, { recursive: true })
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text)
  return spawnSync(process.execPath, [join(EXAMPLE, script)], { cwd: folder, encoding: 'utf8' })
}

const evaluateProgram = (code: string) => run('evaluate.mjs', { 'src/count-words.js': code })

// Right, in its own way.
const PLAIN = `export function countWords(text) {
  const counts = new Map()
  for (const word of text.split(' ')) counts.set(word, (counts.get(word) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
}`

function expectRefused(result: ReturnType<typeof run>, message: string | RegExp) {
  expect(result.stderr).toMatch(message)
  expect(result.stdout).toBe('')
  expect(result.status).toBe(1)
}

describe('the word-count example', () => {
  it.each<Script>(['evaluate.mjs', 'held-out.mjs'])('%s times the example', (script) => {
    const result = run(script)
    expect(result.stderr).toBe(NOTICE)
    expect(JSON.parse(result.stdout)).toEqual({ ms: expect.any(Number) })
  })

  it('the example and another correct counter pass the gate', () => {
    expect(run('check.mjs')).toMatchObject({ status: 0, stderr: NOTICE })
    expect(run('check.mjs', { 'src/count-words.js': PLAIN })).toMatchObject({ status: 0, stderr: NOTICE })
  })

  it('the example has a valid config with pairs and held-out texts', async () => {
    const { config } = await loadConfig(EXAMPLE)
    const [campaign] = config.campaigns.values()
    expect(campaign?.evaluation.heldOut?.paths).toEqual(['held-out.mjs'])
    expect(campaign?.objectives).toMatchObject([{ metric: 'ms', direction: 'minimize', min: 0.1 }])
  })

  it.each(['-1', '0', '0.5', '1e9', 'NaN', 'undefined'])(
    'counts right with sizes and hashes of %s',
    (number) => {
      const sizes = `export const BUCKETS = ${number}\nexport const SHORT = ${number}\n`
      const hash = `export const hash = (word) => word.length * ${number}\n`
      const files = { 'src/heuristics/sizes.js': sizes, 'src/heuristics/hash.js': hash }
      expect(run('check.mjs', files)).toMatchObject({ status: 0, stderr: NOTICE })
    },
  )
})

describe('a strict evaluator', () => {
  it.each([
    ['a wrong count', 'countWords(text).map(([word, count]) => [word, count + 1])'],
    ['a wrong order', 'countWords(text).reverse()'],
    ['a missing word', 'countWords(text).slice(1)'],
    ['nothing', 'undefined'],
  ])('refuses %s, when it is gated and when it is timed', (_, wrong) => {
    const code = `${PLAIN.replace('export ', '')}\nconst wrong = (text) => ${wrong}\nexport { wrong as countWords }`
    expectRefused(run('check.mjs', { 'src/count-words.js': code }), 'wrong counts for a text of')
    expectRefused(evaluateProgram(code), 'wrong counts for a text of')
  })

  it('refuses a program that throws, and says what it threw', () => {
    const code = "export const countWords = () => { throw new Error('no words') }"
    expectRefused(evaluateProgram(code), 'no words')
  })

  it('refuses a program that runs for ever', () => {
    expectRefused(evaluateProgram('export const countWords = () => { for (;;); }'), 'ran for more than')
  })
})

describe('a hostile program', () => {
  const forged = JSON.stringify('{"ms":0.3}\n')

  it('a hostile program cannot pass its output off as the verdict', () => {
    const code = `console.log(${forged}); process.stdout.write(${forged}); ${PLAIN}`
    expect(JSON.parse(evaluateProgram(code).stdout).ms).not.toBe(0.3)
  })

  it("a hostile program cannot write to the evaluator's output through /proc", () => {
    const code = `import { writeFileSync } from 'node:fs'
      export const countWords = () => writeFileSync('/proc/' + process.ppid + '/fd/1', ${forged})`
    expectRefused(evaluateProgram(code), 'Access to this API has been restricted')
  })

  it("a program is timed by the evaluator's clock", () => {
    const code = `performance.now = () => 0; Date.now = () => 0; process.hrtime.bigint = () => 0n; ${PLAIN}`
    expect(JSON.parse(evaluateProgram(code).stdout).ms).toBeGreaterThan(0)
  })

  it('refuses a program that answers too early or exits with success', () => {
    const early = `import { writeSync } from 'node:fs'; writeSync(1, '[]\\n'); ${PLAIN}`
    expectRefused(evaluateProgram(early), 'wrong counts')
    expectRefused(evaluateProgram('process.exit(0); export const countWords = () => []'), 'ended with code 0')
  })

  it('refuses a program that floods the channel', () => {
    const code = `import { writeSync } from 'node:fs'
      export const countWords = () => { for (;;) writeSync(1, 'x'.repeat(4096)) }`
    expectRefused(evaluateProgram(code), /more than 1048576 characters|EAGAIN/)
  })

  it('a hostile program does not see the environment', () => {
    const code =
      "export const countWords = () => { throw new Error('sees ' + Object.keys(process.env).length) }"
    expectRefused(evaluateProgram(code), 'sees 0')
  })
})
