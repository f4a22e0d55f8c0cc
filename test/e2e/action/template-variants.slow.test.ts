import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { REPO } from '../../sandbox/support.ts'
import { startActionBox } from '../action-box.ts'

const FILES = {
  '.loreley.yml': `
goal: Smaller numbers.
scope: { editable: [src/**] }
objectives: [{ metric: score, direction: minimize }]
evaluation: { command: cat src/a.txt }
`,
  'src/a.txt': '12\n',
}

const textOf = (name: string): string =>
  readFileSync(new URL(`../../../workflows-templates/${name}`, import.meta.url), 'utf8')

describe('the variants of the workflow template in the box', () => {
  it('the self-hosted template measures on the labelled machine and keeps the key off it', async () => {
    const { box, dispatch } = await startActionBox({
      files: FILES,
      kind: 'baseline',
      editTemplate: () => textOf('loreley-self-hosted.yml'),
    })
    const { run, result } = await dispatch()
    expect(result?.outcome).toMatchObject({ status: 'measured', metrics: { score: 12 } })
    const { data } = await box.as('wendy').rest.actions.listJobsForWorkflowRun({ ...REPO, run_id: run.id })
    const labels = Object.fromEntries(data.jobs.map((job) => [job.name.trim(), job.labels]))
    expect(labels.evaluate).toEqual(['self-hosted', 'linux', 'loreley'])
    expect(labels.propose ?? []).not.toContain('self-hosted')
  }, 180_000)

  // What the box has no containers for is checked by the linters alone: it must not seem to work.
  it('the sandbox refuses the container template in plain words', async () => {
    const { dispatch } = await startActionBox({
      files: FILES,
      kind: 'baseline',
      editTemplate: () => textOf('loreley-container.yml'),
    })
    const { run, log } = await dispatch()
    expect(run.conclusion).toBe('failure')
    expect(log).toContain('This job needs a job container')
  }, 180_000)
})
