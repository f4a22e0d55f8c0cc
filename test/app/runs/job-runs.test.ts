import { expect, it } from 'vitest'
import { JobRuns } from '../../../src/app/runs/job-runs.ts'
import { PRODUCTION_SETTINGS } from '../../../src/app/server/settings.ts'
import type { CampaignState } from '../../../src/core/campaign/campaign.ts'
import type { Job } from '../../../src/core/campaign/job.ts'
import { tick } from '../../../src/core/campaign/tick.ts'
import { listRuns } from '../../../src/github/runs/runs.ts'
import { aGitHubWithWorkflow, ORDER } from '../../github/a-run.ts'
import { aQuickClock } from '../../github/support.ts'
import { aCampaign, anObjectId } from '../../support/builders.ts'

const planned = aCampaign({ id: 'demo', order: 'arrival' })

/** The state as it is on GitHub. */
function committed(state: CampaignState) {
  const revision = { head: anObjectId('state'), folder: anObjectId('folder'), documents: new Map() }
  return { state, revision }
}

/** A step of a process, in which it claims what nobody has, and takes over the given jobs. */
function claim(state: CampaignState, runs: JobRuns, takesOver: readonly Job[] = []): CampaignState {
  return tick(state, [runs.claim(takesOver)], new Date()).state
}

async function twoProcesses(isTrusted = true) {
  const github = await aGitHubWithWorkflow()
  const ports = { api: github.api(), clock: aQuickClock(), settings: PRODUCTION_SETTINGS }
  const started = () => listRuns(ports.api, ORDER.workflow, ORDER.branch)
  const [first, second] = [new JobRuns(ports, () => isTrusted), new JobRuns(ports, () => isTrusted)]
  return { first, second, started, ports }
}

it('starts a job that it has claimed, and leaves it alone if another process has', async () => {
  const { first, second, started } = await twoProcesses()
  const state = claim(claim(planned, first), second)
  expect(await second.startWaiting(committed(state))).toEqual([])
  expect(await started()).toEqual([])
  const events = await first.startWaiting(committed(state))
  expect(events).toEqual([{ type: 'dispatched', ordinal: 0, attempt: 1, run: (await started())[0]?.id }])
  expect(await first.startWaiting(committed(state)), 'it runs already').toEqual([])
})

it('starts nothing that nobody has claimed', async () => {
  const { first, started } = await twoProcesses()
  expect(await first.startWaiting(committed(planned))).toEqual([])
  expect(await started()).toEqual([])
})

it('takes the run that the process before it has started, and starts none of its own', async () => {
  const { first, second, started, ports } = await twoProcesses()
  const state = claim(planned, first)
  const begun = await first.startWaiting(committed(state))
  const taken = claim(state, second, [...state.jobs.values()])
  expect(await second.startWaiting(committed(taken)), 'GitHub may not show it yet').toEqual([])
  await ports.clock.sleep(PRODUCTION_SETTINGS.startMs)
  expect(await second.startWaiting(committed(taken))).toEqual(begun)
  expect(await started()).toHaveLength(1)
})

it('does not take a run that somebody else has given the same name', async () => {
  const { first, second, started, ports } = await twoProcesses(false)
  const state = claim(planned, first)
  await first.startWaiting(committed(state))
  const taken = claim(state, second, [...state.jobs.values()])
  await second.startWaiting(committed(taken))
  await ports.clock.sleep(PRODUCTION_SETTINGS.startMs)
  const events = await second.startWaiting(committed(taken))
  const runs = await started()
  expect(runs).toHaveLength(2)
  expect(events).toEqual([{ type: 'dispatched', ordinal: 0, attempt: 1, run: runs[0]?.id }])
})

it('leaves a job alone whose run the state knows', async () => {
  const { first, started } = await twoProcesses()
  const state = claim(planned, first)
  const jobs = new Map([...state.jobs].map(([ordinal, job]) => [ordinal, { ...job, run: 7 }]))
  expect(await first.startWaiting(committed({ ...state, jobs }))).toEqual([])
  expect(await started()).toEqual([])
})
