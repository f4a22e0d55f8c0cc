import { expect, it } from 'vitest'
import { JobRuns } from '../../../src/app/runs/job-runs.ts'
import { SYSTEM_CLOCK } from '../../../src/github/api/clock.ts'
import { listRuns } from '../../../src/github/runs/runs.ts'
import { aGitHubWithWorkflow, ORDER } from '../../github/a-run.ts'
import { aCampaign, anObjectId } from '../../support/builders.ts'

const state = aCampaign({ id: 'demo', order: 'arrival' })
const snapshot = {
  state,
  revision: { head: anObjectId('state'), folder: anObjectId('folder'), documents: new Map() },
}
const baseline = [...state.jobs.values()].slice(0, 1)

async function twoProcesses(isTrusted: boolean) {
  const github = await aGitHubWithWorkflow()
  const tools = { api: github.api(), clock: SYSTEM_CLOCK }
  const aProcess = (again: boolean): JobRuns => {
    const runs = new JobRuns(tools, () => isTrusted)
    for (const job of baseline) runs.enqueue(job, again)
    return runs
  }
  const first = await aProcess(false).startWaiting(snapshot)
  const second = await aProcess(true).startWaiting(snapshot)
  return { first, second, started: await listRuns(tools.api, ORDER.workflow, ORDER.branch) }
}

it('takes the run that another process has started, and starts none of its own', async () => {
  const { first, second, started } = await twoProcesses(true)
  expect(started).toHaveLength(1)
  expect(first).toEqual([{ type: 'dispatched', ordinal: 0, attempt: 1, run: started[0]?.id }])
  expect(second).toEqual(first)
})

it('does not take a run that somebody else has given the same name', async () => {
  const { second, started } = await twoProcesses(false)
  expect(started).toHaveLength(2)
  expect(second).toEqual([{ type: 'dispatched', ordinal: 0, attempt: 1, run: started[0]?.id }])
})

it('leaves a job alone whose run the state knows', async () => {
  const github = await aGitHubWithWorkflow()
  const api = github.api()
  const runs = new JobRuns({ api, clock: SYSTEM_CLOCK }, () => true)
  for (const job of baseline) runs.enqueue(job, false)
  const known = new Map(baseline.map((job) => [job.ordinal, { ...job, run: 7 }]))
  expect(await runs.startWaiting({ ...snapshot, state: { ...state, jobs: known } })).toEqual([])
  expect(await listRuns(api, ORDER.workflow, ORDER.branch)).toEqual([])
})

it('looks for a run by name before it starts a job that waited while another process moved the state', async () => {
  const github = await aGitHubWithWorkflow()
  const ports = { api: github.api(), clock: SYSTEM_CLOCK }
  const [waiting, other] = [new JobRuns(ports, () => true), new JobRuns(ports, () => true)]
  for (const job of baseline) {
    waiting.enqueue(job, false)
    other.enqueue(job, false)
  }
  const [started] = await other.startWaiting(snapshot)
  waiting.doubt()
  expect(await waiting.startWaiting(snapshot)).toEqual([started])
  expect(await listRuns(ports.api, ORDER.workflow, ORDER.branch)).toHaveLength(1)
})
