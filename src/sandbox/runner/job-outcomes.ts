import { copyFileSync, existsSync } from 'node:fs'
import { type Job, jobs, type Run } from '../actions/documents.ts'
import { logFile } from '../actions/runs/logs.ts'
import type { Box } from '../box.ts'
import { defineTable } from '../state/store.ts'
import type { JobResult } from './jobs/job-execution.ts'
import type { JobDefinition } from './syntax/workflow-definition.ts'

/** The outcome of a job in one attempt, kept for later attempts. */
interface JobOutcome extends JobResult {
  readonly jobId: number
}

const outcomes = defineTable<JobOutcome>('workflow-job-outcomes')

function keyOf(run: Run, attempt: number, key: string): string {
  return `${run.id}/${attempt}/${key}`
}

/** Identifies one matrix job within a run. */
export function jobKey(definition: JobDefinition, index: number): string {
  return `${definition.id}#${index}`
}

export function recordOutcome(box: Box, run: Run, key: string, outcome: JobOutcome): void {
  outcomes(box.store).put(keyOf(run, run.attempt, key), outcome)
}

/** The previous attempt's outcome, if this attempt does not run the job again. */
export function findReusable(box: Box, run: Run, key: string): JobOutcome | undefined {
  if (run.scope.kind === 'all') return undefined
  const before = outcomes(box.store).find(keyOf(run, run.attempt - 1, key))
  if (before === undefined) return undefined
  const again =
    run.scope.kind === 'job'
      ? before.jobId === run.scope.jobId
      : before.conclusion !== 'success' && before.conclusion !== 'skipped'
  return again ? undefined : before
}

/** Copies a job of the previous attempt, with its log, into this attempt. */
export function carryOver(box: Box, run: Run, key: string, before: JobOutcome): void {
  const job = jobs(box.store).find(before.jobId)
  if (job === undefined) return
  const id = box.store.next('workflow-jobs') + 500_000
  const copy: Job = { ...job, id, attempt: run.attempt }
  jobs(box.store).put(id, copy)
  if (existsSync(logFile(box, job.id))) copyFileSync(logFile(box, job.id), logFile(box, id))
  recordOutcome(box, run, key, { ...before, jobId: id })
}
