import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { loadConfig } from '../../src/config/file/load.ts'
import { writePrograms } from '../../src/process/isolation/candidate-launcher.ts'
import { hasUserNamespaces } from '../process/enclosed-run.ts'

// What an evaluator says that somebody starts by hand.
const NOTICE = 'loreley-candidate is missing outside Loreley: the candidate runs as a plain child\n'
const EXAMPLE = fileURLToPath(new URL('../../examples/circle-packing', import.meta.url))

// 26 equal circles on a grid of 6 by 5. In binary, 1/16 is exact: neighbours touch and the first row touches the border.
const TOUCHING = Array.from({ length: 26 }, (_, index) => [
  (1 + 2 * (index % 6)) / 16,
  (1 + 2 * Math.floor(index / 6)) / 16,
  1 / 16,
])

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'loreley-packing-'))
  cpSync(EXAMPLE, folder, { recursive: true })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Evaluates a candidate whose src/pack.js is `code`, with the evaluator of the example. */
function evaluate(code: string, env: NodeJS.ProcessEnv = process.env) {
  writeFileSync(join(folder, 'src/pack.js'), code)
  return spawnSync(process.execPath, [join(EXAMPLE, 'evaluate.mjs')], { cwd: folder, encoding: 'utf8', env })
}

function evaluateCircles(circles: unknown) {
  return evaluate(`export const pack = () => (${JSON.stringify(circles)})`)
}

/** The touching circles with one of them changed. */
function withCircle(index: number, change: (circle: number[]) => unknown): unknown[] {
  return TOUCHING.map((circle, at) => (at === index ? change(circle) : circle))
}

function expectRefused(result: ReturnType<typeof evaluate>, message: string | RegExp) {
  expect(result.stderr).toMatch(message)
  expect(result.stdout).toBe('')
  expect(result.status).toBe(1)
}

describe('the circle-packing example', () => {
  it('starts from a naive packing', () => {
    const result = spawnSync(process.execPath, ['evaluate.mjs'], { cwd: EXAMPLE, encoding: 'utf8' })
    const metrics = JSON.parse(result.stdout)
    expect(metrics.sum_radii).toBeGreaterThan(1)
    expect(metrics.sum_radii).toBeLessThan(1.2)
  })

  it('the example has a valid config that learns its axes', async () => {
    const { config } = await loadConfig(EXAMPLE)
    const axes = [...config.campaigns.values()].flatMap((campaign) => campaign.search.axes)
    expect(axes).toEqual([{ kind: 'learned' }, { kind: 'learned' }])
  })
})

describe('a strict evaluator', () => {
  it('takes circles that touch each other and the border', () => {
    const result = evaluateCircles(TOUCHING)
    expect(result.stderr).toBe(NOTICE)
    expect(JSON.parse(result.stdout).sum_radii).toBe(26 / 16)
  })

  it('refuses an overlap of one unit in the last place', () => {
    const bigger = withCircle(7, ([x, y]) => [x, y, 1 / 16 + 2 ** -56])
    expectRefused(evaluateCircles(bigger), 'overlap')
  })

  it('refuses an overlap that the rounded distance hides', () => {
    // 1/8 + 2^-60 is 1/8 in doubles, which is the distance: a comparison in doubles would let this pass.
    const shifted = withCircle(24, () => [0.75, 0.8125, 0.125])
    shifted[25] = [0.875, 0.8125, 2 ** -60]
    expectRefused(evaluateCircles(shifted), 'circles 24 and 25 overlap')
  })

  it('refuses a circle over the border by the smallest step', () => {
    expectRefused(
      evaluateCircles(withCircle(0, ([, y, r]) => [1 / 16 - 2 ** -57, y, r])),
      'circle 0 crosses the border',
    )
    expectRefused(
      evaluateCircles(withCircle(25, () => [1 - 2 ** -5, 0.9, 2 ** -5 + 2 ** -57])),
      'circle 25 crosses',
    )
  })

  it.each([
    ['25 circles', TOUCHING.slice(1), 'expected 26 circles, got 25'],
    ['27 circles', [...TOUCHING, [0.9, 0.9, 0.01]], 'expected 26 circles, got 27'],
    ['a radius of 0', withCircle(3, ([x, y]) => [x, y, 0]), 'circle 3 has a radius of 0'],
    ['a negative radius', withCircle(3, ([x, y]) => [x, y, -1]), 'circle 3 has a radius of -1'],
    ['text for numbers', withCircle(3, ([x, y]) => [x, y, '0.1']), 'circle 3 is not three finite numbers'],
    ['four numbers', withCircle(3, (circle) => [...circle, 1]), 'circle 3 is not three finite numbers'],
    ['no list', { length: 26 }, 'expected a list of circles'],
  ])('refuses %s', (_, circles, message) => {
    expectRefused(evaluateCircles(circles), message)
  })

  it.each(['NaN', 'Infinity', '-Infinity', 'undefined'])('refuses a radius of %s', (radius) => {
    const code = `export const pack = () => ${JSON.stringify(TOUCHING)}.map(([x, y]) => [x, y, ${radius}])`
    expectRefused(evaluate(code), 'circle 0 is not three finite numbers')
  })

  it('refuses a program that gives another packing in each run', () => {
    const code = `export const pack = () => ${JSON.stringify(TOUCHING)}.map(([x, y, r]) => [x, y, r * (1 - Math.random() / 9)])`
    expectRefused(evaluate(code), 'different packings')
  })

  it('refuses a program that throws, and says what it threw', () => {
    expectRefused(evaluate("export const pack = () => { throw new Error('no room') }"), 'no room')
  })

  it('refuses a program that runs for ever', () => {
    expectRefused(evaluate('export const pack = () => { for (;;); }'), 'ran for more than')
  })
})

describe('a hostile program', () => {
  const packing = JSON.stringify(TOUCHING)
  const forged = JSON.stringify('{"sum_radii":2.63}\n')

  it('a hostile program cannot pass its output off as the verdict', () => {
    const code = `console.log(${forged}); process.stdout.write(${forged}); export const pack = () => ${packing}`
    expect(JSON.parse(evaluate(code).stdout).sum_radii).toBe(26 / 16)
  })

  it("a hostile program cannot write to the evaluator's output through /proc", () => {
    const code = `import { writeFileSync } from 'node:fs'
      export const pack = () => writeFileSync('/proc/' + process.ppid + '/fd/1', ${forged})`
    expectRefused(evaluate(code), 'Access to this API has been restricted')
  })

  it('a hostile program cannot start a process that outlives it', () => {
    const code = `import { spawnSync } from 'node:child_process'
      export const pack = () => spawnSync('true').status ?? ${packing}`
    expectRefused(evaluate(code), 'Access to this API has been restricted')
  })

  it('a program is judged on its numbers whatever globals it patches', () => {
    const code = `JSON.stringify = () => '${JSON.stringify(TOUCHING.slice(1))}'
      Number.isFinite = () => true; Array.prototype.every = () => true; Math.hypot = () => 9
      export const pack = () => ${packing}`
    expectRefused(evaluate(code), 'expected 26 circles, got 25')
  })

  it('refuses a program that exits early with success', () => {
    expectRefused(evaluate('process.exit(0); export const pack = () => []'), 'handed over no packing')
  })

  it('refuses a program that sends a second result', () => {
    const code = `import { writeSync } from 'node:fs'; writeSync(1, '[]'); export const pack = () => ${packing}`
    expectRefused(evaluate(code), 'handed over no packing')
  })

  it('refuses a program that floods the channel', () => {
    const code = `import { writeSync } from 'node:fs'
      export const pack = () => { for (;;) writeSync(1, 'x'.repeat(4096)) }`
    expectRefused(evaluate(code), /more than 65536 bytes|EAGAIN/)
  })

  it('a hostile program does not see the environment', () => {
    const code = `export const pack = () => { throw new Error('sees ' + Object.keys(process.env).length) }`
    expectRefused(evaluate(code), 'sees 0')
  })

  it.runIf(hasUserNamespaces)('a hostile program in Loreley is in a world of its own', async () => {
    const work = mkdtempSync(join(tmpdir(), 'loreley-work-'))
    onTestFinished(() => rmSync(work, { recursive: true, force: true }))
    for (const name of ['home', 'temp']) mkdirSync(join(work, name))
    await writePrograms(join(work, 'programs'))
    const env = {
      PATH: `${join(work, 'programs')}:${process.env.PATH}`,
      LORELEY_WORKSPACE: work,
      LORELEY_TRUSTED: EXAMPLE,
    }
    const code = "export const pack = () => { throw new Error('parent ' + process.ppid) }"
    expectRefused(evaluate(code, env), /^refused: .* parent 1$/m)
  })
})
