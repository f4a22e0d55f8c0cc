import * as z from 'zod'
import type { RepositoryApi } from '../api/repository-api.ts'
import type { JobFacts, RunFacts } from './runs.ts'

/** Why a run gave no result, as far as GitHub's records show. */
export interface RunTrouble {
  readonly reason: 'never-started' | 'no-minutes' | 'waiting' | 'cancelled' | 'timed-out' | 'broken'
  readonly message: string
  readonly remedy: string
}

const WAITING_MS = 2 * 60_000

/** What is wrong with a run; undefined while nothing is. `annotation` is GitHub's note on a job, if any. */
export function explainRun(
  run: RunFacts,
  jobs: readonly JobFacts[],
  { nowMs, annotation }: { readonly nowMs: number; readonly annotation?: string | undefined },
): RunTrouble | undefined {
  if (run.status === 'waiting' && nowMs - Date.parse(run.createdAt) > WAITING_MS) return WAITING
  if (run.status !== 'completed' || run.conclusion === 'success') return undefined
  if (run.conclusion === 'startup_failure' || jobs.length === 0) return NEVER_STARTED
  if (run.conclusion === 'cancelled') return CANCELLED
  if (run.conclusion === 'timed_out') return TIMED_OUT
  const unstarted = jobs.some(({ conclusion, steps }) => conclusion === 'failure' && steps === 0)
  const said = annotation === undefined ? '' : ` GitHub says: “${annotation.slice(0, 500)}”`
  if (!unstarted) return { ...BROKEN, message: `${BROKEN.message} (${run.conclusion}).${said}` }
  return { ...NO_MINUTES, message: `${NO_MINUTES.message}${said}` }
}

const notes = z.array(z.object({ annotation_level: z.string().nullable(), message: z.string().nullable() }))

/** The annotation of the first failed job; undefined when there is none. */
export async function findAnnotation(
  api: RepositoryApi,
  jobs: readonly JobFacts[],
): Promise<string | undefined> {
  const failed = jobs.find(({ conclusion }) => conclusion === 'failure')
  if (failed === undefined) return undefined
  const outcome = await api.ask({
    route: 'GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations',
    // A job and its check run have the same id.
    parameters: { check_run_id: failed.id, per_page: 100 },
    answer: notes,
    priority: 'state',
  })
  const found = outcome.status === 'done' ? outcome.value : []
  return found.find(({ annotation_level }) => annotation_level === 'failure')?.message ?? undefined
}

const WAITING: RunTrouble = {
  reason: 'waiting',
  message: 'The run waits for approval.',
  remedy: 'Remove required reviewers and wait timers from the environment `loreley`.',
}
// GitHub does not tell an App which of these it was.
const NEVER_STARTED: RunTrouble = {
  reason: 'never-started',
  message: 'The run ended before any job started.',
  remedy:
    'The page of the run shows the cause. Common ones: Actions are disabled, a policy forbids an action that the workflow uses, or the workflow file has an error.',
}
const NO_MINUTES: RunTrouble = {
  reason: 'no-minutes',
  message: 'A job failed before its first step, as happens when no minutes are left or a payment failed.',
  remedy: 'Check the billing settings of the owner, and that a runner with the label exists.',
}
const CANCELLED: RunTrouble = {
  reason: 'cancelled',
  message: 'Somebody cancelled the run.',
  remedy: 'Nothing to do: the candidate is closed, and its unused budget is free again.',
}
const TIMED_OUT: RunTrouble = {
  reason: 'timed-out',
  message: 'The run exceeded the time limit of the workflow.',
  remedy: 'Raise `timeout-minutes` in the workflow, or shorten the evaluation.',
}
const BROKEN: RunTrouble = {
  reason: 'broken',
  message: 'The run failed without leaving a result',
  remedy: 'Check its log.',
}
