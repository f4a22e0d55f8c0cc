import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseConfig } from '../../../src/config/file/parse.ts'
import { runActionStep } from '../../support/action/action-step.ts'
import { buildAction } from '../../support/action/built-action.ts'
import { publishState } from '../../support/published-state.ts'
import { aFolder, aRepository, git } from '../../support/repository.ts'

// Isolation needs more than every machine has; that it works is shown by the box's tests.
const CONFIG = `
goal: Smaller numbers.
scope: { editable: [src/**] }
objectives: [{ metric: score, direction: minimize }]
evaluation:
  command: node "$LORELEY_TRUSTED/evaluate.mjs"
  isolation: none
`
const FILES = {
  '.loreley.yml': CONFIG,
  'src/a.mjs': 'export const a = 12\nexport const b = 30\n',
  'evaluate.mjs': `import { pathToFileURL } from 'node:url'
const { a, b } = await import(pathToFileURL(process.cwd() + '/src/a.mjs'))
console.log(a + b)
`,
}
const MB = 1_000_000
const ROOT = join(import.meta.dirname, '../../..')

let place = ''
let action = ''
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'loreley-bundle-'))
  action = join(buildAction(place), 'action')
}, 180_000)
afterAll(() => rmSync(place, { recursive: true, force: true }))

/** A workspace as the workflow checks it out, with a campaign that waits for a job of this kind. */
async function checkedOut(kind: 'baseline' | 'candidate', settings = CONFIG) {
  const workspace = aRepository({ ...FILES, '.loreley.yml': settings })
  const [config] = parseConfig(settings, '.loreley.yml').campaigns.values()
  if (config === undefined) throw new Error('no campaign')
  const [commit, tree, seconds] = git(workspace, 'log', '-1', '--format=%H %T %ct').split(' ')
  const root = { commit: commit ?? '', tree: tree ?? '', seconds: Number(seconds) }
  await publishState(workspace, { config, root, kind })
  const inputs = {
    kind,
    candidate: `${config.name}-${kind === 'baseline' ? '0000' : '0001'}`,
    state: git(workspace, 'rev-parse', 'loreley/state'),
    root: root.commit,
    base: root.commit,
    nonce: '0123456789abcdef',
  }
  return { inputs, place: { workspace, temp: aFolder() } }
}

describe('the built action', () => {
  it('comes out the same, byte for byte, when it is built again', () => {
    const again = join(buildAction(aFolder()), 'action/dist')
    const names = readdirSync(join(action, 'dist'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.\w+$/.test(name),
    )
    expect(names).toContain('main.mjs')
    for (const name of names) {
      const [first, second] = [join(action, 'dist'), again].map((folder) => readFileSync(join(folder, name)))
      expect(second !== undefined && first?.equals(second), name).toBe(true)
    }
  }, 180_000)

  it('a bundle with a stale, missing or foreign file is detected', () => {
    const dist = join(buildAction(aFolder()), 'action/dist')
    const check = () => {
      const args = ['scripts/build-action.mjs', '--check', '--out', dist]
      const { status, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' })
      return { status, stderr: stderr.trim().split('\n').sort() }
    }
    expect(check()).toEqual({ status: 0, stderr: [''] })
    writeFileSync(join(dist, 'main.mjs'), '')
    rmSync(join(dist, 'wasm/tree-sitter-css.wasm.br'))
    writeFileSync(join(dist, 'wasm/more.mjs'), '')
    expect(check()).toEqual({
      status: 1,
      stderr: [
        'action/dist/main.mjs is stale: run npm run build:action',
        'action/dist/wasm/more.mjs is not made by the build: remove it',
        'action/dist/wasm/tree-sitter-css.wasm.br is stale: run npm run build:action',
      ],
    })
  }, 180_000)

  it('names no folder of the machine that built it, and keeps its main file small', () => {
    const main = readFileSync(join(action, 'dist/main.mjs'))
    expect(main.includes(ROOT)).toBe(false)
    expect(main.length).toBeLessThan(3 * MB)
  })
})

describe(`alone in an empty folder, under Node ${process.version}, the action`, () => {
  it.each([
    ['nothing at all', {}, 'kind'],
    ['a SHA that is shell text', { step: 'evaluate', kind: 'validate', base: '$(id)' }, 'base'],
    ['a step that does not exist', { step: 'commit', kind: 'validate' }, 'step must be propose or evaluate'],
    ['a baseline to propose', { step: 'propose', kind: 'baseline' }, 'candidate'],
  ])('refuses %s with an annotation that says why, and a result', (_, inputs, reason) => {
    const ended = runActionStep(action, { workspace: aFolder(), temp: aFolder() }, inputs)
    expect(ended.exitCode).toBe(1)
    const annotation = ended.stdout.split('\n').find((line) => line.startsWith('::error title='))
    expect(annotation).toContain('The inputs of this run are not what Loreley sends')
    expect(annotation).toContain(reason)
    expect(ended.result?.outcome).toMatchObject({ reason: 'infrastructure', code: 'inputs-invalid' })
  })

  it('measures a baseline', async () => {
    const { inputs, place } = await checkedOut('baseline')
    const ended = runActionStep(action, place, { step: 'evaluate', ...inputs })
    expect(ended.stdout).toContain('outcome: measured')
    expect(ended).toMatchObject({ exitCode: 0, result: { outcome: { metrics: { score: 42 } } } })
    expect(ended.summary).toContain('| score | 42 | none: deterministic |')
  })

  it('tries an evaluator for a maintainer, and tells how much its numbers vary', () => {
    const wild = { ...FILES, 'evaluate.mjs': 'console.log(10 ** Math.random())\n' }
    const place = { workspace: aRepository(wild), temp: aFolder() }
    const ended = runActionStep(action, place, { step: 'evaluate', kind: 'validate' })
    expect(ended).toMatchObject({ exitCode: 0, result: { outcome: { noise: { runs: 12 } } } })
    expect(ended.summary).toMatch(
      /coefficient of variation \d.*\n- A\/A test: .*\n- Candidates get up to 20 pairs/,
    )
    expect(ended.summary).toContain('Too noisy: runs of the root differ by')
    expect(ended.stdout).toContain('::warning title=Loreley%3A the evaluator is too noisy::')
  })

  it('fails a validation whose evaluator is broken, and says why', () => {
    const ended = validate({ 'evaluate.mjs': 'console.log("no data"); process.exit(3)\n' })
    expect(ended).toMatchObject({ exitCode: 1, result: { outcome: { reason: 'evaluation-failed' } } })
    expect(ended.stdout).toContain('::error title=Loreley%3A evaluation-failed::exit code 3%0Ano data')
  })

  it('tries what only candidates meet too, once each', () => {
    const settings = `${CONFIG}  quick: { command: echo 7 }\n  held_out: { command: echo 8, paths: [] }\n`
    const { exitCode, result, summary } = validate({ '.loreley.yml': settings })
    const { outcome } = result ?? {}
    const stages = outcome?.status === 'measured' ? outcome.samples.map(({ stage }) => stage) : []
    expect({ exitCode, stages }).toEqual({
      exitCode: 0,
      stages: ['quick', 'full', 'full', 'full', 'held-out'],
    })
    expect(summary).toContain('| score | 42 | none: deterministic | 3 |')
  })

  it.each([
    ['quick', 'quick: { command: echo spoken; exit 8 }', /^evaluation\.quick: exit code 8\nspoken$/, true],
    [
      'held_out',
      'held_out: { command: echo spoken; exit 9, paths: [] }',
      /^evaluation\.held_out: it failed on the held-out inputs; [a-z ]+$/,
      false,
    ],
  ])('names the command %s when that is what fails a validation', (_, line, words, isShown) => {
    const { exitCode, result, stdout, summary } = validate({ '.loreley.yml': `${CONFIG}  ${line}\n` })
    expect({ exitCode, outcome: result?.outcome }).toMatchObject({
      exitCode: 1,
      outcome: { reason: 'evaluation-failed', detail: expect.stringMatching(words) },
    })
    expect(`${stdout}${summary}`.includes('spoken')).toBe(isShown)
  })

  function validate(files: Readonly<Record<string, string>>) {
    const place = { workspace: aRepository({ ...FILES, ...files }), temp: aFolder() }
    return runActionStep(action, place, { step: 'evaluate', kind: 'validate' })
  }

  it('takes the names that benchmark tools give, and refuses one that no document could hold', () => {
    const printing = (...names: string[]) => {
      const found = names.map((name) => ({ name, value: 12.5, unit: 'ms' }))
      const config = CONFIG.replace('metric: score', 'metric: My benchmark - time').replace(
        'isolation: none',
        'isolation: none\n  output: { form: benchmark }',
      )
      const evaluator = `console.log(${JSON.stringify(JSON.stringify(found))})`
      const workspace = aRepository({ ...FILES, '.loreley.yml': config, 'evaluate.mjs': evaluator })
      return runActionStep(action, { workspace, temp: aFolder() }, { step: 'evaluate', kind: 'validate' })
    }
    const metrics = { 'My benchmark - time': 12.5, 'Vec<u8> | `n`=10': 12.5 }
    const taken = printing(...Object.keys(metrics))
    expect(taken).toMatchObject({ exitCode: 0, result: { outcome: { metrics } } })
    expect(taken.summary).toContain('| Vec&lt;u8&gt; \\| \\`n\\`=10 | 12.5 |')
    for (const name of ['a\u0007b', 'x'.repeat(101)]) {
      expect(printing('My benchmark - time', name).result?.outcome).toMatchObject({
        status: 'failed',
        reason: 'output-unreadable',
      })
    }
  })

  it('proposes a candidate and measures the tree that it proposed', async () => {
    const { inputs, place } = await checkedOut('candidate')
    const proposed = runActionStep(action, place, { step: 'propose', ...inputs })
    expect(proposed.stdout).not.toContain('::error')
    const { outcome } = proposed.proposal ?? {}
    const tree = outcome?.status === 'proposed' ? outcome.tree : 'none'
    expect(proposed.outputs).toContain(tree)
    expect(proposed.summary).toContain(`- Tree \`${tree}\`, on commit \`${inputs.base}\`.`)
    expect(proposed.summary).toMatch(/\| src\/a\.mjs \| \+\d+ \| −\d+ \|/)
    expect(proposed.summary).toMatch(/- Models: none\.\n- Cost: \d+\.\d runner minutes\.\n/)

    mkdirSync(join(place.temp, 'loreley-proposal'))
    cpSync(join(place.temp, 'loreley/proposal.json'), join(place.temp, 'loreley-proposal/proposal.json'))
    const measured = runActionStep(action, place, { step: 'evaluate', ...inputs, proposal: `7.${tree}` })
    expect(measured.result?.outcome).toMatchObject({ status: 'measured', tree })
  })

  it('loses no proposal and no measurement to a summary that cannot be written', async () => {
    const { inputs, place } = await checkedOut('candidate')
    const variables = { GITHUB_STEP_SUMMARY: join(place.temp, 'absent/summary') }
    const proposed = runActionStep(action, { ...place, variables }, { step: 'propose', ...inputs })
    expect(proposed).toMatchObject({ exitCode: 0, proposal: { outcome: { status: 'proposed' } } })
    expect(proposed.outputs).toMatch(/^tree<</)
    const baseline = await checkedOut('baseline')
    const at = { ...baseline.place, variables }
    const measured = runActionStep(action, at, { step: 'evaluate', ...baseline.inputs })
    expect(measured).toMatchObject({ exitCode: 0, result: { outcome: { metrics: { score: 42 } } } })
    for (const { stdout } of [proposed, measured])
      expect(stdout).toContain('::warning title=Loreley%3A no summary::')
  })

  it.each([
    [
      '201 files',
      'for n in $(seq 201); do echo "$n" > "src/$n.txt"; done',
      /^too-many-files: .* and 191 more$/,
    ],
    ['more than 4 MB', 'seq -s, 1 700000 > src/a.mjs', /^change-too-large: src\/a\.mjs$/],
  ])('refuses %s, which no proposal can hold, by the name of the reason', async (_, code, detail) => {
    const scope =
      'scope: { editable: [src/**], max_files: 500, max_file_bytes: 9000000, max_change_bytes: 9000000 }'
    const agent = { use: 'command', rework: false, command: { code } }
    const settings = `${CONFIG.replace(/^scope: .*$/m, scope)}agent: ${JSON.stringify(agent)}\n`
    const { inputs, place } = await checkedOut('candidate', settings)
    const { result, exitCode } = runActionStep(action, place, { step: 'propose', ...inputs })
    expect(result?.outcome).toMatchObject({
      reason: 'guard-blocked',
      detail: expect.stringMatching(detail),
    })
    expect(result?.usage.runnerMs).toBeGreaterThan(0)
    expect(exitCode).toBe(0)
  })

  it('refuses a path whose name is cut in the middle of a character, by the name of the reason', async () => {
    const code = `mkdir out; echo 1 > "out/${'x'.repeat(75)}😀.mjs"`
    const agent = { use: 'command', rework: false, command: { code } }
    const { inputs, place } = await checkedOut('candidate', `${CONFIG}agent: ${JSON.stringify(agent)}\n`)
    const { result } = runActionStep(action, place, { step: 'propose', ...inputs })
    expect(result?.outcome).toMatchObject({
      reason: 'guard-blocked',
      detail: expect.stringMatching(/^outside-scope: out\/x+\ufffd…$/),
    })
  })

  it.each(['evil', '\u0007evil', '\ud800'])(
    'refuses a proposal with a key %j as its own fault',
    async (key) => {
      const { inputs, place } = await checkedOut('candidate')
      mkdirSync(join(place.temp, 'loreley-proposal'))
      writeFileSync(
        join(place.temp, 'loreley-proposal/proposal.json'),
        JSON.stringify({ schema: 1, [key]: 1 }),
      )
      const proposal = `7.${'0'.repeat(40)}`
      const { result, exitCode } = runActionStep(action, place, { step: 'evaluate', ...inputs, proposal })
      expect({ exitCode, outcome: result?.outcome }).toMatchObject({
        exitCode: 0,
        outcome: { reason: 'guard-blocked', detail: expect.stringMatching(/^proposal-unreadable: /) },
      })
    },
  )

  it('tells what a refused evaluation took of the runner too', async () => {
    const { inputs, place } = await checkedOut('candidate')
    const proposal = `7.${'0'.repeat(40)}`
    const { result } = runActionStep(action, place, { step: 'evaluate', ...inputs, proposal })
    expect(result?.outcome).toMatchObject({
      reason: 'guard-blocked',
      detail: expect.stringContaining('proposal-unreadable'),
    })
    expect(result?.usage.runnerMs).toBeGreaterThan(0)
  })

  it('refuses a rival that the job does not name', async () => {
    const { inputs, place } = await checkedOut('baseline')
    for (const [rival, words] of [
      ['main', 'not what Loreley sends'],
      ['0'.repeat(40), 'rival is not the job'],
    ] as const) {
      const { result } = runActionStep(action, place, { step: 'evaluate', ...inputs, rival })
      const detail = expect.stringContaining(words)
      expect(result?.outcome).toMatchObject({ reason: 'infrastructure', code: 'inputs-invalid', detail })
    }
  })

  it('says whose fault it is when the state is not there, and still leaves a result', async () => {
    const { inputs, place } = await checkedOut('baseline')
    const ended = runActionStep(action, place, { step: 'evaluate', ...inputs, state: '0'.repeat(40) })
    expect(ended).toMatchObject({
      exitCode: 1,
      result: { outcome: { status: 'failed', reason: 'infrastructure' } },
    })
    expect(ended.stdout).toContain('::error title=Loreley%3A ')
    expect(ended.summary).toContain('This run failed, not the candidate')
  })
})
