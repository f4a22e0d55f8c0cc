import { rmSync } from 'node:fs'
import type { Box } from '../../box.ts'
import { isoTime } from '../../format.ts'
import type { RepositoryDocument, User } from '../../state/documents.ts'
import { defineTable } from '../../state/store.ts'
import { artifactsOf, removeArtifact } from '../artifacts/artifacts.ts'
import {
  type Conclusion,
  earlierAttempts,
  type Job,
  jobs,
  type Run,
  type RunScope,
  runs,
  type Workflow,
} from '../documents.ts'
import { openSuite } from './job-checks.ts'
import { completeJob, jobsOf } from './jobs.ts'
import { logFile } from './logs.ts'
import { emitRun } from './run-events.ts'

/** Why a run could not start. */
export const runProblems = defineTable<readonly string[]>('workflow-run-problems')

export interface RunDraft {
  readonly workflow: Workflow
  readonly event: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly ref: string
  readonly headSha: string
  readonly mergeSha?: string
  /** GitHub's default title: the workflow's name for a dispatch, the commit's subject for a push. */
  readonly title: string
  readonly actor: User
}

/** Records a new run, sends its event and hands it to the runner. */
export async function queueRun(box: Box, repo: RepositoryDocument, draft: RunDraft): Promise<Run> {
  const now = isoTime(box.now())
  const run: Run = {
    id: box.store.next('workflow-runs') + 100_000,
    repositoryId: repo.id,
    workflowId: draft.workflow.id,
    checkSuiteId: openSuite(box, repo, draft),
    name: draft.workflow.name,
    path: draft.workflow.path,
    displayTitle: draft.title,
    number: box.store.next(`workflow-runs of ${draft.workflow.id}`),
    attempt: 1,
    event: draft.event,
    payload: draft.payload,
    ref: draft.ref,
    headSha: draft.headSha,
    ...(draft.mergeSha === undefined ? {} : { mergeSha: draft.mergeSha }),
    status: 'queued',
    conclusion: null,
    actor: draft.actor.login,
    triggeringActor: draft.actor.login,
    scope: { kind: 'all' },
    createdAt: now,
    startedAt: now,
    updatedAt: now,
  }
  const titles = await Promise.all([...box.runners].map((runner) => runner.title(run)))
  const title = titles.find((text) => text !== undefined)
  return await announce(box, { ...run, displayTitle: title ?? draft.title })
}

/** Marks a run as waiting for its concurrency group, or as no longer waiting. */
export function holdRun(box: Box, runId: number, isHeld: boolean): void {
  const run = runs(box.store).find(runId)
  if (run === undefined || (run.status !== 'queued' && run.status !== 'pending')) return
  saveRun(box, { ...run, status: isHeld ? 'pending' : 'queued' })
}

/** Starts the next attempt of a run, under the same id. Earlier attempts are kept. */
export async function rerun(box: Box, run: Run, by: { actor: User; scope: RunScope }): Promise<Run> {
  earlierAttempts(box.store).put(`${run.id}/${run.attempt}`, run)
  return await announce(box, {
    ...run,
    attempt: run.attempt + 1,
    status: 'queued',
    conclusion: null,
    triggeringActor: by.actor.login,
    scope: by.scope,
    startedAt: isoTime(box.now()),
  })
}

async function announce(box: Box, run: Run): Promise<Run> {
  const saved = saveRun(box, run)
  await emitRun(box, saved, 'requested')
  for (const runner of box.runners) runner.start(saved)
  return saved
}

function saveRun(box: Box, run: Run): Run {
  return runs(box.store).put(run.id, { ...run, updatedAt: isoTime(box.now()) })
}

/** Ends a run, unless it has ended already. Without a conclusion, the worst of its jobs decides. */
export async function completeRun(box: Box, runId: number, conclusion?: Conclusion): Promise<void> {
  const run = runs(box.store).find(runId)
  if (run === undefined || run.status === 'completed') return
  const decided = conclusion ?? concludeFrom(jobsOf(box, run))
  await emitRun(box, saveRun(box, { ...run, status: 'completed', conclusion: decided }), 'completed')
}

function concludeFrom(done: readonly Job[]): Conclusion {
  const worst = (['failure', 'timed_out', 'cancelled'] as const).find((conclusion) =>
    done.some((job) => job.conclusion === conclusion),
  )
  if (worst !== undefined) return worst === 'timed_out' ? 'failure' : worst
  return done.length > 0 && done.every((job) => job.conclusion === 'skipped') ? 'skipped' : 'success'
}

/** Ends a run that cannot start, and stores the reason for the web page. */
export async function refuseRun(box: Box, runId: number, problems: readonly string[]): Promise<void> {
  runProblems(box.store).put(runId, problems)
  await completeRun(box, runId, 'startup_failure')
}

/** Asks the runner to end a run. Without a runner, or with `force`, the sandbox ends it itself. */
export async function cancelRun(box: Box, run: Run, force: boolean): Promise<void> {
  for (const runner of box.runners) runner.cancel(run, force)
  if (box.runners.size > 0 && !force) return
  for (const job of jobsOf(box, run)) await completeJob(box, job.id, 'cancelled')
  await completeRun(box, run.id, 'cancelled')
}

/** Removes a run with its jobs, logs and artifacts. */
export function deleteRun(box: Box, run: Run): void {
  for (const job of jobs(box.store).all()) {
    if (job.runId !== run.id) continue
    rmSync(logFile(box, job.id), { force: true })
    jobs(box.store).remove(job.id)
  }
  for (const artifact of artifactsOf(box, run.id)) removeArtifact(box, artifact.id)
  for (let attempt = 1; attempt < run.attempt; attempt += 1) {
    earlierAttempts(box.store).remove(`${run.id}/${attempt}`)
  }
  runProblems(box.store).remove(run.id)
  runs(box.store).remove(run.id)
}
