import type { JobFacts, RunFacts } from './runs.ts'

/** Why a run that gave no result did not, as far as GitHub's records tell. */
export interface RunTrouble {
  readonly reason: 'never-started' | 'no-minutes' | 'waiting' | 'cancelled' | 'timed-out' | 'broken'
  readonly message: string
  readonly remedy: string
}

const WAITING_MS = 2 * 60_000

/** What is wrong with a run; undefined while nothing is. `annotation` is GitHub's own note on a job, if any. */
export function explainRun(
  run: RunFacts,
  jobs: readonly JobFacts[],
  { nowMs, annotation }: { readonly nowMs: number; readonly annotation?: string },
): RunTrouble | undefined {
  if (run.status === 'waiting' && nowMs - Date.parse(run.createdAt) > WAITING_MS) return WAITING
  if (run.status !== 'completed' || run.conclusion === 'success') return undefined
  if (run.conclusion === 'startup_failure' || jobs.length === 0) return NEVER_STARTED
  if (run.conclusion === 'cancelled') return CANCELLED
  if (run.conclusion === 'timed_out') return TIMED_OUT
  const unstarted = jobs.some(({ conclusion, steps }) => conclusion === 'failure' && steps === 0)
  if (!unstarted) return { ...BROKEN, message: `${BROKEN.message} (${run.conclusion}).` }
  const said = annotation === undefined ? '' : ` GitHub says: “${annotation.slice(0, 500)}”`
  return { ...NO_MINUTES, message: `${NO_MINUTES.message}${said}` }
}

const WAITING: RunTrouble = {
  reason: 'waiting',
  message: 'The run waits for somebody to approve it.',
  remedy: 'Remove reviewers and timers from the environment `loreley`.',
}
// GitHub does not tell an App which of these it was, so that none is claimed.
const NEVER_STARTED: RunTrouble = {
  reason: 'never-started',
  message: 'The run ended before any job began.',
  remedy:
    'One of these may be the cause: Actions are switched off, an allow-list or a pinning policy forbids an action that the workflow uses, or the workflow file has an error. The run’s page says which.',
}
const NO_MINUTES: RunTrouble = {
  reason: 'no-minutes',
  message: 'A job failed without beginning a step, as when no minutes are left or a payment failed.',
  remedy: 'Look at the billing settings of the owner, and whether a runner with the label exists.',
}
const CANCELLED: RunTrouble = {
  reason: 'cancelled',
  message: 'Somebody cancelled the run.',
  remedy: 'Nothing: the candidate is closed, and its budget is free again.',
}
const TIMED_OUT: RunTrouble = {
  reason: 'timed-out',
  message: 'The run took longer than the workflow allows.',
  remedy: 'Raise `timeout-minutes` in the workflow, or shorten the evaluation.',
}
const BROKEN: RunTrouble = {
  reason: 'broken',
  message: 'The run failed without leaving a result',
  remedy: 'Look at its log.',
}
