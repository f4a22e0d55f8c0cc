import { describe, expect, it } from 'vitest'
import { runs } from '../../../src/sandbox/actions/documents.ts'
import { completeJob, queueJob, startJob, updateSteps } from '../../../src/sandbox/actions/runs/jobs.ts'
import { appendLog } from '../../../src/sandbox/actions/runs/logs.ts'
import { completeRun } from '../../../src/sandbox/actions/runs/runs.ts'
import { failure, REPO, startReceiver, startTestBox } from '../support.ts'
import { dispatch, dispatched, FILES, JOB } from './actions-support.ts'

describe('runs', () => {
  it('a run goes from queued to completed and sends an event for each change', async () => {
    const receiver = await startReceiver()
    const { box, run } = await dispatched({ webhookUrl: receiver.url })
    const { actions } = (await box.installation({ actions: 'read' })).rest
    const job = await queueJob(box.box, run, JOB)
    await startJob(box.box, job.id, 'runner-1')
    const now = '2026-01-01T00:00:00Z'
    updateSteps(box.box, job.id, [
      {
        number: 1,
        name: 'Test',
        status: 'completed',
        conclusion: 'failure',
        startedAt: now,
        completedAt: now,
      },
    ])
    const going = await actions.getWorkflowRun({ ...REPO, run_id: run.id })
    expect(going.data.status).toBe('in_progress')
    await completeJob(box.box, job.id, 'failure')
    const skipped = await queueJob(box.box, run, { ...JOB, name: 'later' })
    await completeJob(box.box, skipped.id, 'skipped')
    await completeRun(box.box, run.id)
    await completeRun(box.box, run.id, 'success')
    const { data } = await actions.listJobsForWorkflowRun({ ...REPO, run_id: run.id })
    expect(data.jobs).toMatchObject([
      { name: 'build / fast', conclusion: 'failure', runner_name: 'runner-1', steps: [{ name: 'Test' }] },
      { name: 'later', conclusion: 'skipped', runner_name: null },
    ])
    const one = await actions.getJobForWorkflowRun({ ...REPO, job_id: job.id })
    expect(one.data).toMatchObject({ run_id: run.id, workflow_name: 'Go', head_branch: 'main' })
    const done = await actions.getWorkflowRun({ ...REPO, run_id: run.id })
    expect(done.data).toMatchObject({ status: 'completed', conclusion: 'failure' })
    await box.settled()
    const told = receiver.received.filter((one) => /^workflow_(run|job)$/.test(one.event))
    expect(told.map((one) => `${one.event} ${one.payload.action}`)).toEqual([
      'workflow_run requested',
      'workflow_job queued',
      'workflow_run in_progress',
      'workflow_job in_progress',
      'workflow_job completed',
      'workflow_job queued',
      'workflow_job completed',
      'workflow_run completed',
    ])
  })

  it('runs are filtered by actor, branch, event, status and date', async () => {
    const { box, run } = await dispatched()
    const second = await dispatch(box, 'olivia')
    await completeRun(box.box, second.id, 'success')
    const { actions } = box.as('rita').rest
    const ids = async (query: Record<string, string>) =>
      (await actions.listWorkflowRunsForRepo({ ...REPO, ...query })).data.workflow_runs.map(({ id }) => id)
    expect(await ids({})).toEqual([second.id, run.id])
    expect(await ids({ actor: 'wendy' })).toEqual([run.id])
    expect(await ids({ status: 'success' })).toEqual([second.id])
    expect(await ids({ status: 'queued' })).toEqual([run.id])
    expect(await ids({ branch: 'side' })).toEqual([])
    expect(await ids({ event: 'push' })).toEqual([])
    expect(await ids({ head_sha: run.headSha })).toHaveLength(2)
    expect(await ids({ created: '>=2020-01-01' })).toHaveLength(2)
    expect(await ids({ created: '2020-01-01..2020-02-01' })).toEqual([])
    const page = await actions.listWorkflowRuns({ ...REPO, workflow_id: 'go.yml', per_page: 1 })
    expect(page.data).toMatchObject({ total_count: 2, workflow_runs: [{ id: second.id }] })
    expect(page.headers.link).toContain('page=2')
    expect((await failure(actions.getWorkflowRun({ ...REPO, run_id: 1 }))).status).toBe(404)
  })

  it('the sandbox cancels a run itself when there is no runner', async () => {
    const { box, run } = await dispatched()
    const job = await queueJob(box.box, run, JOB)
    const target = { ...REPO, run_id: run.id }
    expect((await failure(box.as('rita').rest.actions.cancelWorkflowRun(target))).status).toBe(403)
    const { actions } = box.as('wendy').rest
    expect((await actions.cancelWorkflowRun(target)).status).toBe(202)
    expect((await actions.getWorkflowRun(target)).data.conclusion).toBe('cancelled')
    expect((await actions.getJobForWorkflowRun({ ...REPO, job_id: job.id })).data.conclusion).toBe(
      'cancelled',
    )
    expect((await failure(actions.cancelWorkflowRun(target))).status).toBe(409)
  })

  it('a run is handed to the runner, which names, starts and ends it', async () => {
    const box = await startTestBox({ files: FILES })
    const calls: string[] = []
    box.box.runners.add({
      title: async (run) => `Go for ${run.actor}`,
      start: (run) => calls.push(`start ${run.attempt}`),
      cancel: (run) => calls.push(`cancel ${run.attempt}`),
      close: async () => void calls.push('close'),
    })
    const run = await dispatch(box)
    expect(run.displayTitle).toBe('Go for wendy')
    const target = { ...REPO, run_id: run.id }
    const { actions } = box.as('wendy').rest
    await actions.cancelWorkflowRun(target)
    expect((await actions.getWorkflowRun(target)).data.status).toBe('queued')
    await actions.forceCancelWorkflowRun(target)
    expect((await actions.getWorkflowRun(target)).data.conclusion).toBe('cancelled')
    await actions.reRunWorkflow(target)
    expect(calls).toEqual(['start 1', 'cancel 1', 'cancel 1', 'start 2'])
  })

  it('a re-run is another attempt, and deleting a run removes all of it', async () => {
    const { box, run } = await dispatched()
    const { actions } = box.as('wendy').rest
    const target = { ...REPO, run_id: run.id }
    const job = await queueJob(box.box, run, JOB)
    expect((await failure(actions.reRunWorkflow(target))).status).toBe(403)
    expect((await failure(actions.deleteWorkflowRun(target))).status).toBe(403)
    await completeJob(box.box, job.id, 'failure')
    await completeRun(box.box, run.id)
    expect((await box.as('olivia').rest.actions.reRunWorkflowFailedJobs(target)).status).toBe(201)
    expect((await actions.getWorkflowRun(target)).data).toMatchObject({
      run_attempt: 2,
      status: 'queued',
      actor: { login: 'wendy' },
      triggering_actor: { login: 'olivia' },
    })
    expect(runs(box.box.store).find(run.id)?.scope).toEqual({ kind: 'failed' })
    const first = await actions.getWorkflowRunAttempt({ ...target, attempt_number: 1 })
    expect(first.data.conclusion).toBe('failure')
    expect((await failure(actions.getWorkflowRunAttempt({ ...target, attempt_number: 3 }))).status).toBe(404)
    const earlier = await actions.listJobsForWorkflowRunAttempt({ ...target, attempt_number: 1 })
    expect(earlier.data.total_count).toBe(1)
    expect((await actions.listJobsForWorkflowRun(target)).data.total_count).toBe(0)
    expect((await actions.listJobsForWorkflowRun({ ...target, filter: 'all' })).data.total_count).toBe(1)
    await completeRun(box.box, run.id, 'success')
    expect((await failure(actions.reRunWorkflowFailedJobs(target))).status).toBe(403)
    await actions.reRunJobForWorkflowRun({ ...REPO, job_id: job.id })
    expect(runs(box.box.store).find(run.id)?.scope).toEqual({ kind: 'job', jobId: job.id })
    await completeRun(box.box, run.id, 'success')
    await actions.deleteWorkflowRun(target)
    expect((await failure(actions.getWorkflowRun(target))).status).toBe(404)
    expect((await failure(actions.getJobForWorkflowRun({ ...REPO, job_id: job.id }))).status).toBe(404)
  })

  it('runs survive a restart with their jobs and logs', async () => {
    const { box, run } = await dispatched()
    const job = await queueJob(box.box, run, JOB)
    appendLog(box.box, job.id, 'kept')
    await box.close()
    const again = await startTestBox({ folder: box.folder })
    const { actions } = again.as('wendy').rest
    const log = await actions.downloadJobLogsForWorkflowRun({ ...REPO, job_id: job.id })
    expect(log.data).toContain('kept')
    await actions.cancelWorkflowRun({ ...REPO, run_id: run.id })
    expect((await actions.getWorkflowRun({ ...REPO, run_id: run.id })).data.conclusion).toBe('cancelled')
  })
})
