import { describe, expect, it } from 'vitest'
import { dispatchRun } from '../../src/github/runs/dispatch.ts'
import {
  cancelRun,
  findRun,
  listJobs,
  listRuns,
  type RunFacts,
  workflowJob,
  workflowRun,
} from '../../src/github/runs/runs.ts'
import { judgeRun } from '../../src/github/runs/trusted-run.ts'
import { findBindingInJobName } from '../../src/protocol/dispatch.ts'
import { NO_FAULTS } from '../../src/sandbox/settings.ts'
import { startReceiver } from '../sandbox/support.ts'
import { anObjectId } from '../support/builders.ts'
import { aGitHubWithWorkflow, finish, INPUTS, ORDER } from './a-run.ts'

describe('a dispatch', () => {
  it('a dispatch is one request that returns the run', async () => {
    const github = await aGitHubWithWorkflow()
    const api = github.api()
    const outcome = await dispatchRun(api, ORDER)
    if (outcome.status !== 'dispatched') throw new Error(outcome.status)
    expect(github.sent).toHaveLength(1)
    expect(await findRun(api, outcome.runId)).toMatchObject({
      title: 'loreley candidate demo-0007 abcdef0123456789',
      branch: 'loreley/runner/demo',
      path: '.github/workflows/loreley.yml',
      status: 'queued',
      actors: ['tester[bot]', 'tester[bot]'],
    })
  })

  it('a dispatch whose answer was lost is not sent twice, and its run is listed by name', async () => {
    const github = await aGitHubWithWorkflow()
    const api = github.api()
    expect(await listRuns(api, 'loreley.yml', ORDER.branch)).toEqual([])
    github.box.settings.faults = { ...NO_FAULTS, failAfter: 1 }
    expect(await dispatchRun(api, ORDER)).toEqual({ status: 'unsure' })
    github.box.settings.faults = NO_FAULTS
    const other = { ...ORDER, inputs: { ...INPUTS, nonce: 'another-nonce' } }
    await dispatchRun(api, other)
    const listed = await listRuns(api, 'loreley.yml', ORDER.branch)
    expect(listed.map(({ title }) => title)).toEqual([
      'loreley candidate demo-0007 another-nonce',
      'loreley candidate demo-0007 abcdef0123456789',
    ])
  })

  it('a refused dispatch says why', async () => {
    const github = await aGitHubWithWorkflow()
    expect(await dispatchRun(github.api(), { ...ORDER, workflow: 'none.yml' })).toMatchObject({
      status: 'refused',
      http: 404,
    })
    expect(await dispatchRun(github.api(), { ...ORDER, branch: 'nowhere' })).toMatchObject({
      status: 'refused',
      http: 422,
      message: 'No ref found for: nowhere',
    })
  })
})

describe('a run', () => {
  it('job names of a run bind the proposal, and the run can be cancelled', async () => {
    const github = await aGitHubWithWorkflow()
    const api = github.api()
    const outcome = await dispatchRun(api, ORDER)
    const runId = outcome.status === 'dispatched' ? outcome.runId : 0
    const tree = anObjectId('tree 7')
    expect((await cancelRun(api, runId)).status).toBe('done')
    await finish(github, runId, `evaluate 42.${tree}`)
    const jobs = await listJobs(api, runId)
    expect(jobs.map(({ name }) => findBindingInJobName(name))).toEqual([{ artifactId: 42, tree }])
    expect(await findRun(api, runId)).toMatchObject({ status: 'completed', conclusion: 'success' })
    expect(await cancelRun(api, runId)).toMatchObject({ status: 'refused', http: 409 })
    expect(await findRun(api, 1)).toBeUndefined()
  })
})

describe('a webhook', () => {
  it('tells the same of a run and a job as the API', async () => {
    const receiver = await startReceiver()
    const github = await aGitHubWithWorkflow({ webhookUrl: receiver.url })
    const api = github.api()
    const outcome = await dispatchRun(api, ORDER)
    const runId = outcome.status === 'dispatched' ? outcome.runId : 0
    await finish(github, runId, 'evaluate')
    await github.box.settled()
    const last = (event: string) => receiver.received.findLast((one) => one.event === event)?.payload ?? {}
    expect(workflowRun.parse(last('workflow_run').workflow_run)).toEqual(await findRun(api, runId))
    expect([workflowJob.parse(last('workflow_job').workflow_job)]).toEqual(await listJobs(api, runId))
  })
})

describe('the judge of runs', () => {
  const run: RunFacts = {
    id: 7,
    repositoryId: 1,
    path: '.github/workflows/loreley.yml',
    branch: 'loreley/runner/demo',
    sha: anObjectId('head'),
    event: 'workflow_dispatch',
    actors: ['loreley[bot]', 'loreley[bot]'],
    attempt: 1,
    status: 'completed',
    conclusion: 'success',
    title: 'loreley candidate demo-0007 abcdef0123456789',
    url: '',
    createdAt: '2026-01-01T00:00:00Z',
  }
  const { id, repositoryId, path, branch, sha } = run
  const expected = { id, repositoryId, path, branch: branch ?? '', sha, actor: 'loreley[bot]' }

  it('trusts the run that was dispatched', () => {
    expect(judgeRun(run, expected)).toEqual({ status: 'trusted' })
  })

  it.each<[string, Partial<RunFacts>]>([
    ['another-run', { id: 8 }],
    ['another-repository', { repositoryId: 2 }],
    ['another-workflow', { path: '.github/workflows/ci.yml' }],
    ['another-branch', { branch: 'main' }],
    ['another-branch', { branch: null }],
    ['another-commit', { sha: anObjectId('other') }],
    ['another-event', { event: 'push' }],
    ['ran-again', { attempt: 2 }],
    ['another-actor', { actors: ['sam', 'sam'] }],
    ['another-actor', { actors: ['loreley[bot]', 'wendy'] }],
  ])('distrusts a run as %s: %j', (reason, changes) => {
    expect(judgeRun({ ...run, ...changes }, expected)).toEqual({ status: 'distrusted', reason })
  })
})
