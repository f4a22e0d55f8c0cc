import { senderOf } from '../../access/sender.ts'
import type { Family, RepoCall } from '../../box.ts'
import { ApiError, notFound } from '../../http/errors.ts'
import { listIn, noContent, ok, type Reply } from '../../http/reply.ts'
import { repoRoute } from '../../http/route.ts'
import { branchOf, runView } from '../actions-view.ts'
import { earlierAttempts, type Run, type RunScope, runs } from '../documents.ts'
import { getWorkflow } from '../workflows/workflow-routes.ts'
import { cancelRun, deleteRun, rerun } from './runs.ts'

const RUN = '/repos/{owner}/{repo}/actions/runs/{run_id}'
const READ = { actions: 'read' } as const
const WRITE = { actions: 'write' } as const

/** Runs of workflows. */
export const workflowRunsFamily: Family = {
  routes: [
    repoRoute('GET /repos/{owner}/{repo}/actions/runs', READ, (call) => listRuns(call, () => true)),
    repoRoute('GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs', READ, async (call) => {
      const { id } = await getWorkflow(call)
      return await listRuns(call, (run) => run.workflowId === id)
    }),
    repoRoute(`GET ${RUN}`, READ, async (call) => ok(await view(call, getRun(call)))),
    repoRoute(`GET ${RUN}/attempts/{attempt_number}`, READ, async (call) =>
      ok(await view(call, getAttempt(call))),
    ),
    repoRoute(`GET ${RUN}/pending_deployments`, READ, listPendingDeployments),
    repoRoute(`POST ${RUN}/cancel`, WRITE, (call) => cancel(call, false)),
    repoRoute(`POST ${RUN}/force-cancel`, WRITE, (call) => cancel(call, true)),
    repoRoute(`POST ${RUN}/rerun`, WRITE, (call) => runAgain(call, getRun(call), { kind: 'all' })),
    repoRoute(`POST ${RUN}/rerun-failed-jobs`, WRITE, (call) =>
      runAgain(call, getRun(call), { kind: 'failed' }),
    ),
    repoRoute(`DELETE ${RUN}`, WRITE, remove),
  ],
}

/** The run named by the path. */
export function getRun(call: RepoCall): Run {
  const run = runs(call.box.store).find(call.path.number('run_id'))
  if (run === undefined || run.repositoryId !== call.repo.id) throw notFound()
  return run
}

/** The attempt named by the path. */
export function getAttempt(call: RepoCall): Run {
  const run = getRun(call)
  const number = call.path.number('attempt_number')
  const attempt = number === run.attempt ? run : earlierAttempts(call.box.store).find(`${run.id}/${number}`)
  if (attempt === undefined) throw notFound()
  return attempt
}

async function listRuns(call: RepoCall, isWanted: (run: Run) => boolean): Promise<Reply> {
  const { query } = call
  const asks = (name: string, value: string | number | null): boolean =>
    !query.has(name) || query.findText(name) === String(value)
  const found = runs(call.box.store)
    .all()
    .filter((run) => run.repositoryId === call.repo.id && isWanted(run))
    .filter((run) => asks('actor', run.actor) && asks('branch', branchOf(run)))
    .filter((run) => asks('event', run.event) && asks('head_sha', run.headSha))
    .filter((run) => asks('check_suite_id', run.checkSuiteId))
    // The parameter `status` also accepts a conclusion.
    .filter((run) => asks('status', run.status) || asks('status', run.conclusion))
    .filter((run) => isInDateRange(run.createdAt, query.findText('created')))
    .reverse()
  return await listIn(call, 'workflow_runs', found, (run) => view(call, run))
}

async function view(call: RepoCall, run: Run) {
  const whole = await runView(call.box, call.repo, run)
  return call.query.findFlag('exclude_pull_requests') === true ? { ...whole, pull_requests: [] } : whole
}

// Deployment approvals are not supported, so no run waits for one.
function listPendingDeployments(call: RepoCall): Reply {
  getRun(call)
  return ok([])
}

async function cancel(call: RepoCall, force: boolean): Promise<Reply> {
  const run = getRun(call)
  if (run.status === 'completed') {
    throw new ApiError(409, 'Cannot cancel a workflow run that is completed.')
  }
  await cancelRun(call.box, run, force)
  return { status: 202, json: {} }
}

/** Starts another attempt of a run that has ended. */
export async function runAgain(call: RepoCall, run: Run, scope: RunScope): Promise<Reply> {
  if (run.status !== 'completed') throw new ApiError(403, 'This workflow is already running')
  if (scope.kind === 'failed' && run.conclusion === 'success') {
    throw new ApiError(403, 'This workflow run has no failed jobs to re-run')
  }
  await rerun(call.box, run, { actor: senderOf(call), scope })
  return { status: 201, json: {} }
}

function remove(call: RepoCall): Reply {
  const run = getRun(call)
  if (run.status !== 'completed') throw new ApiError(403, 'Could not delete the workflow run')
  deleteRun(call.box, run)
  return noContent()
}

/**
 * True when a time lies in a range in GitHub's search syntax: `>=2026-01-31`, `<…`, `a..b`, `*..b` or a day.
 */
function isInDateRange(time: string, range: string | undefined): boolean {
  if (range === undefined) return true
  const at = Date.parse(time)
  const [from, to] = range.split('..')
  if (from !== undefined && to !== undefined) {
    return (from === '*' || at >= Date.parse(from)) && (to === '*' || at <= endOf(to))
  }
  const [, sign = '', moment = ''] = /^(>=|<=|>|<)?(.*)$/.exec(range) ?? []
  switch (sign) {
    case '>':
      return at > endOf(moment)
    case '>=':
      return at >= Date.parse(moment)
    case '<':
      return at < Date.parse(moment)
    case '<=':
      return at <= endOf(moment)
    default:
      return at >= Date.parse(moment) && at <= endOf(moment)
  }
}

// A day without a time ends at midnight.
function endOf(moment: string): number {
  return Date.parse(/^\d{4}-\d{2}-\d{2}$/.test(moment) ? `${moment}T23:59:59Z` : moment)
}
