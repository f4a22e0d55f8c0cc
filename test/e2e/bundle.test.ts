import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseConfig } from '../../src/config/parse.ts'
import { runActionStep } from '../support/action-step.ts'
import { buildAction } from '../support/built-action.ts'
import { publishState } from '../support/published-state.ts'
import { aFolder, aRepository, git } from '../support/repository.ts'

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

let place = ''
let action = ''
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'loreley-bundle-'))
  action = join(buildAction(place), 'action')
}, 180_000)
afterAll(() => rmSync(place, { recursive: true, force: true }))

/** A workspace as the workflow checks it out, with a campaign that waits for a job of this kind. */
async function checkedOut(kind: 'baseline' | 'candidate') {
  const workspace = aRepository(FILES)
  const [config] = parseConfig(CONFIG, '.loreley.yml').campaigns.values()
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

  it('names no folder of the machine that built it, and keeps its main file small', () => {
    const main = readFileSync(join(action, 'dist/main.mjs'))
    expect(main.includes(join(import.meta.dirname, '../..'))).toBe(false)
    expect(main.length).toBeLessThan(3 * MB)
  })
})

describe(`alone in an empty folder, under Node ${process.version}, the action`, () => {
  it.each([
    ['nothing at all', {}, 'kind'],
    ['a SHA that is shell text', { step: 'evaluate', kind: 'validate', base: '$(id)' }, 'base'],
    ['a step that does not exist', { step: 'commit', kind: 'validate' }, 'step must be propose or evaluate'],
    ['a baseline to propose', { step: 'propose', kind: 'baseline' }, 'candidate'],
  ])('refuses %s with an annotation that says why', (_, inputs, reason) => {
    const ended = runActionStep(action, { workspace: aFolder(), temp: aFolder() }, inputs)
    expect(ended.exitCode).toBe(1)
    const annotation = ended.stdout.split('\n').find((line) => line.startsWith('::error::'))
    expect(annotation).toContain('The inputs of this run are not what Loreley sends')
    expect(annotation).toContain(reason)
    expect(ended.result).toBeUndefined()
  })

  it('measures a baseline', async () => {
    const { inputs, place } = await checkedOut('baseline')
    const ended = runActionStep(action, place, { step: 'evaluate', ...inputs })
    expect(ended.stdout).toContain('outcome: measured')
    expect(ended).toMatchObject({ exitCode: 0, result: { outcome: { metrics: { score: 42 } } } })
    expect(ended.summary).toContain('| `score` | 42 | none: deterministic |')
  }, 120_000)

  it('proposes a candidate and measures the tree that it proposed', async () => {
    const { inputs, place } = await checkedOut('candidate')
    const proposed = runActionStep(action, place, { step: 'propose', ...inputs })
    expect(proposed.stdout).not.toContain('::error')
    const { outcome } = proposed.proposal ?? {}
    const tree = outcome?.status === 'proposed' ? outcome.tree : 'none'
    expect(proposed.outputs).toContain(tree)

    mkdirSync(join(place.temp, 'loreley-proposal'))
    cpSync(join(place.temp, 'loreley/proposal.json'), join(place.temp, 'loreley-proposal/proposal.json'))
    const measured = runActionStep(action, place, { step: 'evaluate', ...inputs, proposal: `7.${tree}` })
    expect(measured.result?.outcome).toMatchObject({ status: 'measured', tree })
  }, 120_000)

  it('says whose fault it is when the state is not there, and still leaves a result', async () => {
    const { inputs, place } = await checkedOut('baseline')
    const ended = runActionStep(action, place, { step: 'evaluate', ...inputs, state: '0'.repeat(40) })
    expect(ended).toMatchObject({
      exitCode: 1,
      result: { outcome: { status: 'failed', reason: 'infrastructure' } },
    })
    expect(ended.stdout).toContain('::error title=Loreley%3A ')
    expect(ended.summary).toContain('This run failed, not the candidate')
  }, 120_000)
})
