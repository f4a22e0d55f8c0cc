import { describe, expect, it } from 'vitest'
import type { DispatchInputs } from '../../../src/protocol/dispatch.ts'
import { type FinishedRun, startActionBox } from '../action-box.ts'

const FILES = {
  '.loreley.yml': `
goal: Smaller numbers.
scope: { editable: [src/**] }
objectives: [{ metric: score, direction: minimize }]
evaluation: { command: node -p 42 }
`,
  'src/a.js': 'export const a = 12\nexport const b = 30\n',
}
const NOWHERE = '0'.repeat(40)
const BREAKS = '      - run: exit 3\n\n'

/** What a run left whose template, or whose inputs, are changed like this. */
async function runBroken(
  kind: 'baseline' | 'candidate',
  { inputs = {}, edit }: { inputs?: Partial<DispatchInputs>; edit?: readonly [from: string, to: string] },
): Promise<FinishedRun> {
  const editTemplate = (template: string): string => {
    if (edit === undefined) return template
    expect(template.split(edit[0]), edit[0]).toHaveLength(2)
    return template.replace(edit[0], () => edit[1])
  }
  const { dispatch } = await startActionBox({ files: FILES, kind, editTemplate })
  return await dispatch(inputs)
}

const brokenBefore = (words: string) => ({
  reason: 'infrastructure',
  code: 'step-failed',
  detail: expect.stringContaining(`A step before this one failed${words}.`),
})

describe('the workflow template leaves a result that says which step broke', () => {
  it.each(['root', 'base', 'rival', 'state'])('when it is the checkout of the %s', async (name) => {
    const { run, result } = await runBroken('baseline', { inputs: { [name]: NOWHERE } })
    expect(result?.outcome).toMatchObject(brokenBefore(`: ${name}`))
    expect(run.conclusion).toBe('failure')
  })

  it('when it is one of the maintainer, before the measurement', async () => {
    const place = '      # >>> Your set-up'
    const { result } = await runBroken('baseline', { edit: [place, `${BREAKS}${place}`] })
    expect(result?.outcome).toMatchObject(brokenBefore(', one of your own set-up'))
  })

  it('when it is one of the maintainer, before the agent', async () => {
    const place = '      - name: Let the agent work\n'
    const { run, result } = await runBroken('candidate', { edit: [place, `${BREAKS}${place}`] })
    expect(result?.outcome).toMatchObject(brokenBefore(', one of your own set-up'))
    expect(evaluations(run)).toEqual(['skipped'])
  })

  it('when it is the download of the proposal', async () => {
    const given = `artifact-ids: \${{ needs.propose.outputs.artifact }}`
    const { result } = await runBroken('candidate', { edit: [given, 'artifact-ids: 987654321'] })
    expect(result?.outcome).toMatchObject(brokenBefore(': proposal'))
  })

  it('when it is the upload of the proposal, after which nothing is evaluated', async () => {
    const given = 'loreley/proposal.json\n          if-no-files-found: ignore'
    const broken = 'loreley/nothing.json\n          if-no-files-found: error'
    const { run, result, artifacts } = await runBroken('candidate', { edit: [given, broken] })
    expect([...artifacts.keys()]).toEqual(['result'])
    expect(result).toMatchObject({
      outcome: { code: 'step-failed', detail: expect.stringContaining('should hand it on failed') },
      usage: { runnerMs: expect.any(Number) },
    })
    expect(evaluations(run)).toEqual(['skipped'])
  })

  it('the action fails with a reason when its inputs are not what Loreley sends', async () => {
    const byHand = { candidate: 'demo', base: 'main', nonce: '' }
    const { result } = await runBroken('baseline', { inputs: byHand })
    expect(result).toMatchObject({
      kind: 'baseline',
      candidate: '',
      outcome: { reason: 'infrastructure', code: 'inputs-invalid' },
    })
  })
})

function evaluations({ jobs }: FinishedRun['run']): (string | null)[] {
  return jobs.filter(({ name }) => name.startsWith('evaluate')).map(({ conclusion }) => conclusion)
}
