import { describe, expect, it } from 'vitest'
import { findBindingInJobName, renderRunName } from '../../../src/protocol/dispatch.ts'
import { proposalOf, startActionBox } from '../action-box.ts'

const CONFIG = `
goal: Smaller numbers.
scope:
  editable: [src/**]
objectives:
  - metric: score
    direction: minimize
evaluation:
  command: node "$LORELEY_TRUSTED/evaluate.mjs"
`

const FILES = {
  '.loreley.yml': CONFIG,
  'src/a.js': 'export const a = 12\nexport const b = 30\n',
  'evaluate.mjs': `import { pathToFileURL } from 'node:url'
const { a, b } = await import(pathToFileURL(process.cwd() + '/src/a.js'))
console.log(a + b)
`,
}

describe('the workflow template in the box', () => {
  it('makes and measures a candidate, and binds what was measured to what was proposed', async () => {
    const { dispatch, orders } = await startActionBox({ files: FILES })
    const finished = await dispatch()
    expect(finished.log).not.toContain('##[error]')
    // What the token was used for is there to be read; the token is not.
    expect(finished.log).toMatch(/\[command\]\S+git .* fetch -q --depth=1 .*\/acme\/demo/)
    expect(finished.log).not.toMatch(/authorization/i)
    expect(finished.run).toMatchObject({ conclusion: 'success', title: renderRunName(orders) })
    expect([...finished.artifacts.keys()].sort()).toEqual(['proposal', 'result'])
    const { outcome } = proposalOf(finished)
    const { result } = finished
    expect(result?.outcome).toMatchObject({ status: 'measured' })
    expect(outcome).toMatchObject({
      tree: result?.outcome.status === 'measured' && result.outcome.tree,
      card: { files: 1 },
      descriptor: { embedding: { vector: expect.any(String), files: ['src/a.js'] } },
    })
    const job = finished.run.jobs.find(({ name }) => name.startsWith('evaluate'))
    expect(findBindingInJobName(job?.name ?? '')?.tree).toBe(
      result?.outcome.status === 'measured' && result.outcome.tree,
    )
  })

  it('tries the evaluator of a repository without a campaign', async () => {
    const { dispatch } = await startActionBox({ files: FILES })
    const finished = await dispatch({
      kind: 'validate',
      candidate: '',
      state: '',
      root: '',
      base: '',
      nonce: '',
    })
    expect(finished.result?.outcome).toMatchObject({
      status: 'measured',
      metrics: { score: 42 },
      noise: { runs: 3, deterministic: true, variation: 0 },
    })
    expect([...finished.artifacts.keys()]).toEqual(['result'])
  })

  it('warns of an evaluator that is too noisy before a campaign is begun', async () => {
    const wild = { ...FILES, 'evaluate.mjs': 'console.log(10 ** Math.random())\n' }
    const { dispatch } = await startActionBox({ files: wild })
    const byHand = { kind: 'validate', candidate: '', state: '', root: '', base: '', nonce: '' } as const
    const { result, log } = await dispatch(byHand)
    const noise = result?.outcome.status === 'measured' ? result.outcome.noise : undefined
    expect(noise).toMatchObject({ runs: 12, deterministic: false, confidence: 0.998, maxPairs: 20 })
    expect(noise?.variation).toBeGreaterThan(0.1)
    expect(noise?.noise?.selfTest).toHaveProperty('estimate')
    expect(log).toContain(`##[warning]${noise?.tooNoisy}`)
  })

  it('measures the root, and says where it lies', async () => {
    const { dispatch, root } = await startActionBox({ files: FILES, kind: 'baseline' })
    const { result, artifacts } = await dispatch()
    expect(result?.outcome).toMatchObject({ status: 'measured', tree: root.tree, metrics: { score: 42 } })
    expect(result?.outcome).toHaveProperty('embedding.vector')
    expect([...artifacts.keys()]).toEqual(['result'])
  })

  it('measures a commit once more', async () => {
    const { dispatch, root } = await startActionBox({ files: FILES, kind: 'confirm' })
    const { result, artifacts } = await dispatch()
    expect(result?.outcome).toMatchObject({ status: 'measured', tree: root.tree, metrics: { score: 42 } })
    expect(result?.outcome).not.toHaveProperty('embedding')
    expect([...artifacts.keys()]).toEqual(['result'])
  })

  it('ends with a result that says whose fault it was', async () => {
    const { dispatch } = await startActionBox({ files: FILES })
    const finished = await dispatch({ state: '0'.repeat(40) })
    expect(finished.result?.outcome).toMatchObject({
      status: 'failed',
      reason: 'infrastructure',
      code: 'git-failed',
    })
  })
})
