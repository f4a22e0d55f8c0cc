import type { Box } from '../../box.ts'
import { isoTime } from '../../format.ts'
import { type Job, jobs, type Run, runs, type Step } from '../documents.ts'
import { emitJob, emitRun } from './run-events.ts'

/** The jobs of the run's current attempt. */
export function jobsOf(box: Box, run: Run): Job[] {
  return jobs(box.store)
    .all()
    .filter((job) => job.runId === run.id && job.attempt === run.attempt)
}

/** Adds a job to the run's current attempt. */
export async function queueJob(
  box: Box,
  run: Run,
  draft: { readonly name: string; readonly labels: readonly string[] },
): Promise<Job> {
  const now = isoTime(box.now())
  const id = box.store.next('workflow-jobs') + 500_000
  const job = jobs(box.store).put(id, {
    id,
    runId: run.id,
    attempt: run.attempt,
    name: draft.name,
    labels: draft.labels,
    status: 'queued',
    conclusion: null,
    steps: [],
    runnerName: null,
    createdAt: now,
    startedAt: now,
    completedAt: null,
  })
  await emitJob(box, run, job, 'queued')
  return job
}

/** Marks a job as taken by a runner. The first job to start also starts the run. */
export async function startJob(box: Box, jobId: number, runnerName: string): Promise<void> {
  const job = jobs(box.store).find(jobId)
  const run = job === undefined ? undefined : runs(box.store).find(job.runId)
  if (job === undefined || run === undefined || job.status !== 'queued') return
  const now = isoTime(box.now())
  // Store both before sending events: the job may end while an event is sent.
  const started = jobs(box.store).put(jobId, { ...job, status: 'in_progress', runnerName, startedAt: now })
  const begun = runs(box.store).put(run.id, { ...run, status: 'in_progress', updatedAt: now })
  if (run.status !== 'in_progress') await emitRun(box, begun, 'in_progress')
  await emitJob(box, begun, started, 'in_progress')
}

/** Replaces a job's steps. */
export function updateSteps(box: Box, jobId: number, steps: readonly Step[]): void {
  const job = jobs(box.store).find(jobId)
  if (job !== undefined) jobs(box.store).put(jobId, { ...job, steps })
}

/** Ends a job, unless it has ended already. */
export async function completeJob(
  box: Box,
  jobId: number,
  conclusion: NonNullable<Job['conclusion']>,
): Promise<void> {
  const job = jobs(box.store).find(jobId)
  const run = job === undefined ? undefined : runs(box.store).find(job.runId)
  if (job === undefined || run === undefined || job.status === 'completed') return
  const completedAt = isoTime(box.now())
  const done: Job = { ...job, status: 'completed', conclusion, completedAt }
  await emitJob(box, run, jobs(box.store).put(jobId, done), 'completed')
}
