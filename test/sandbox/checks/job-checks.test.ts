import { describe, expect, it } from 'vitest'
import { issueJobToken } from '../../../src/sandbox/actions/actions-app.ts'
import { completeJob, queueJob, startJob } from '../../../src/sandbox/actions/runs/jobs.ts'
import { completeRun } from '../../../src/sandbox/actions/runs/runs.ts'
import type { BoxEvent } from '../../../src/sandbox/box.ts'
import type { Permissions } from '../../../src/sandbox/state/documents.ts'
import { findRepository } from '../../../src/sandbox/state/lookups.ts'
import { dispatched, JOB } from '../actions/actions-support.ts'
import { failure, REPO, startReceiver, type TestBox } from '../support.ts'

describe('check runs of jobs', () => {
  it("a job's check run follows it under the same id, in the run's suite", async () => {
    const receiver = await startReceiver()
    const { box, run } = await dispatched({ webhookUrl: receiver.url })
    const { checks } = box.as('rita').rest
    const suite = { ...REPO, check_suite_id: run.checkSuiteId }
    const job = await queueJob(box.box, run, JOB)
    const target = { ...REPO, check_run_id: job.id }
    expect((await checks.get(target)).data).toMatchObject({
      name: 'build / fast',
      status: 'queued',
      app: { slug: 'github-actions' },
    })
    await startJob(box.box, job.id, 'r')
    expect((await checks.getSuite(suite)).data.status).toBe('in_progress')
    await completeJob(box.box, job.id, 'failure')
    await completeRun(box.box, run.id)
    expect((await checks.get(target)).data.conclusion).toBe('failure')
    expect((await checks.getSuite(suite)).data).toMatchObject({ status: 'completed', conclusion: 'failure' })
    const listed = await checks.listForRef({ ...REPO, ref: 'main' })
    expect(listed.data.check_runs.map(({ id }) => id)).toEqual([job.id])
    await box.settled()
    const told = receiver.received.filter(
      (one) => one.event.startsWith('check_') && JSON.stringify(one.payload).includes('github-actions'),
    )
    expect(told.map((one) => `${one.event} ${one.payload.action}`)).toEqual([
      'check_run created',
      'check_run completed',
      'check_suite completed',
    ])
  })
})

describe("a job's token", () => {
  async function jobClient(box: TestBox, runId: number, permissions: Permissions) {
    const repo = findRepository(box.box.store, REPO.owner, REPO.repo)
    if (repo === undefined) throw new Error('no repository')
    return box.client((await issueJobToken(box.box, repo, { runId, permissions })).token)
  }

  it("a job's token acts as github-actions[bot] within the job's permissions", async () => {
    const { box, run } = await dispatched()
    const reader = await jobClient(box, run.id, { contents: 'read' })
    const file = { ...REPO, path: 'a.txt', message: 'm', content: '' }
    expect((await reader.rest.repos.getContent({ ...REPO, path: '' })).status).toBe(200)
    expect((await failure(reader.rest.repos.createOrUpdateFileContents(file))).status).toBe(403)
    const writer = await jobClient(box, run.id, { contents: 'write' })
    const made = await writer.rest.repos.createOrUpdateFileContents(file)
    expect(made.data.commit.author?.name).toBe('github-actions[bot]')
  })

  it("a job's token marks its events, so that they start no workflows", async () => {
    const { box, run } = await dispatched()
    const events: BoxEvent[] = []
    const watcher = { routes: [], onEvent: async (_: unknown, event: BoxEvent) => void events.push(event) }
    const families = box.box.families
    Object.defineProperty(box.box, 'families', { value: [...families, watcher] })
    const writer = await jobClient(box, run.id, { contents: 'write' })
    await writer.rest.repos.createOrUpdateFileContents({ ...REPO, path: 'a', message: 'm', content: '' })
    expect(events.find((event) => event.name === 'push')?.runId).toBe(run.id)
  })
})
