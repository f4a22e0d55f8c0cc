import { expect, it } from 'vitest'
import { runs } from '../../../src/sandbox/actions/documents.ts'
import { REPO } from '../support.ts'
import { dispatchWorkflow, play, readRun, startRunnerBox } from './runner-support.ts'

const FLAKY = `on: workflow_dispatch
jobs:
  good:
    runs-on: ubuntu-latest
    outputs: { word: '\${{ steps.s.outputs.word }}' }
    steps:
      - id: s
        run: echo "word=from attempt $GITHUB_RUN_ATTEMPT" >> "$GITHUB_OUTPUT"
  flaky:
    needs: good
    runs-on: ubuntu-latest
    steps:
      - run: test "$GITHUB_RUN_ATTEMPT" -gt 1 && echo "good was \${{ needs.good.outputs.word }}"
  after:
    needs: flaky
    runs-on: ubuntu-latest
    steps: [{ run: echo done }]
`

it('a re-run of failed jobs keeps the others with their outputs', async () => {
  const box = await startRunnerBox(FLAKY)
  const first = await play(box)
  expect(first.jobs.map(({ name, conclusion }) => [name, conclusion])).toEqual([
    ['good', 'success'],
    ['flaky', 'failure'],
    ['after', 'skipped'],
  ])
  await box.as('wendy').rest.actions.reRunWorkflowFailedJobs({ ...REPO, run_id: first.id })
  await box.runner?.settled()
  const second = await readRun(box, first.id)
  expect(second.conclusion).toBe('success')
  expect(second.jobs.map(({ name, conclusion }) => [name, conclusion])).toEqual([
    ['good', 'success'],
    ['flaky', 'success'],
    ['after', 'success'],
  ])
  expect(second.log('flaky')).toContain('good was from attempt 1\n')
})

it('a re-run of one job runs it and what needs it, and keeps the rest', async () => {
  const box = await startRunnerBox(FLAKY)
  const first = await play(box)
  const flaky = first.jobs.find(({ name }) => name === 'flaky')
  await box.as('wendy').rest.actions.reRunJobForWorkflowRun({ ...REPO, job_id: flaky?.id ?? 0 })
  await box.runner?.settled()
  const second = await readRun(box, first.id)
  expect(second.conclusion).toBe('success')
  expect(second.log('flaky')).toContain('good was from attempt 1\n')
  expect(second.jobs.map(({ name, conclusion }) => [name, conclusion])).toEqual([
    ['good', 'success'],
    ['flaky', 'success'],
    ['after', 'success'],
  ])
})

it('a concurrency group cancels what runs or waits when a newer run comes', async () => {
  const box = await startRunnerBox(`on: workflow_dispatch
concurrency: { group: one, cancel-in-progress: true }
jobs:
  a:
    runs-on: ubuntu-latest
    steps: [{ run: sleep 2 }]
`)
  for (let turn = 0; turn < 3; turn++) await dispatchWorkflow(box)
  await box.runner?.settled()
  const conclusions = runs(box.box.store)
    .all()
    .map((run) => run.conclusion)
  expect(conclusions).toEqual(['cancelled', 'cancelled', 'success'])
})

it('an environment lets in only the branches that it names', async () => {
  const box = await startRunnerBox(`on: workflow_dispatch
jobs:
  a:
    runs-on: ubuntu-latest
    environment: live
    steps: [{ run: echo in }]
`)
  const { rest } = box.as('olivia')
  const policy = { protected_branches: false, custom_branch_policies: true }
  const target = { ...REPO, environment_name: 'live' }
  await rest.repos.createOrUpdateEnvironment({ ...target, deployment_branch_policy: policy })
  const refused = await play(box)
  expect(refused.log('a')).toContain('Branch "main" is not allowed to deploy to live')
  await rest.repos.createDeploymentBranchPolicy({ ...target, name: 'main' })
  expect((await play(box)).conclusion).toBe('success')
})

it('a workflow file with errors ends its run at the start', async () => {
  const box = await startRunnerBox(
    'on: workflow_dispatch\njobs:\n  a:\n    needs: b\n    runs-on: x\n    steps: []\n',
  )
  expect(await play(box)).toMatchObject({ conclusion: 'startup_failure', jobs: [] })
})
