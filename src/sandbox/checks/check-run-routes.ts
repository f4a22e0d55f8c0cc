import { byActor } from '../access/sender.ts'
import type { Box, Family, RepoCall } from '../box.ts'
import { ApiError, notFound, validationFailed } from '../http/errors.ts'
import { created, list, listIn, ok, type Reply } from '../http/reply.ts'
import { repoRoute } from '../http/route.ts'
import type { RepositoryDocument } from '../state/documents.ts'
import { emit } from '../webhooks/emit.ts'
import { applyBody, blankRun, readAnnotations } from './check-run-body.ts'
import {
  type By,
  checkingApp,
  ensureSuite,
  namedCommit,
  resetSuite,
  settleSuite,
  suiteOf,
} from './check-suite-routes.ts'
import { annotationView, checkRunEventView, checkRunView } from './check-view.ts'
import { annotations, type CheckRun, checkRuns, checkSuites, latestRuns, runsOf, suitesAt } from './checks.ts'

const READ = { checks: 'read' } as const
export const WRITE_CHECKS = { checks: 'write' } as const
const RUN = '/repos/{owner}/{repo}/check-runs/{check_run_id}'

/** Check runs: what an App says about a commit. */
export const checkRunsFamily: Family = {
  routes: [
    repoRoute('POST /repos/{owner}/{repo}/check-runs', WRITE_CHECKS, async (call) =>
      created(checkRunView(call.box, call.repo, await addRun(call))),
    ),
    repoRoute(`GET ${RUN}`, READ, (call) => ok(checkRunView(call.box, call.repo, runOf(call)))),
    repoRoute(`PATCH ${RUN}`, WRITE_CHECKS, async (call) =>
      ok(checkRunView(call.box, call.repo, await changeRun(call, runOf(call)))),
    ),
    repoRoute(`GET ${RUN}/annotations`, READ, listAnnotations),
    repoRoute(`POST ${RUN}/rerequest`, WRITE_CHECKS, rerequest),
    repoRoute('GET /repos/{owner}/{repo}/check-suites/{check_suite_id}/check-runs', READ, (call) =>
      listRuns(call, runsOf(call.box.store, suiteOf(call))),
    ),
    repoRoute('GET /repos/{owner}/{repo}/commits/{ref}/check-runs', READ, listForRef),
  ],
}

function runOf(call: RepoCall): CheckRun {
  const found = checkRuns(call.box.store).find(call.path.number('check_run_id'))
  if (found === undefined || found.repositoryId !== call.repo.id) throw notFound()
  return found
}

async function listForRef(call: RepoCall): Promise<Reply> {
  const ref = call.path.text('ref')
  const sha = await call.git.findCommit(ref)
  if (sha === undefined) throw new ApiError(422, `No commit found for SHA: ${ref}`)
  const suites = suitesAt(call.box.store, call.repo.id, sha)
  return await listRuns(
    call,
    suites.flatMap((suite) => runsOf(call.box.store, suite)),
  )
}

async function listRuns(call: RepoCall, all: readonly CheckRun[]): Promise<Reply> {
  const { query } = call
  const runs = query.findText('filter') === 'all' ? all : latestRuns(all)
  const [name, status] = [query.findText('check_name'), query.findText('status')]
  const appId = query.findNumber('app_id')
  const wanted = runs.filter(
    (run) =>
      (name === undefined || run.name === name) &&
      (status === undefined || run.status === status) &&
      (appId === undefined || run.appId === appId),
  )
  const newestFirst = wanted.sort((a, b) => b.id - a.id)
  return await listIn(call, 'check_runs', newestFirst, (run) => checkRunView(call.box, call.repo, run))
}

/** Creates the check run described by the body. */
export async function addRun(call: RepoCall): Promise<CheckRun> {
  const { box, repo } = call
  const app = checkingApp(call)
  const headSha = await namedCommit(call, call.body.text('head_sha'))
  const draft = applyBody(box, blankRun(box), call.body)
  const notes = readAnnotations(call.body)
  const { suite } = await ensureSuite(call, app.id, headSha)
  const id = box.store.next('check-runs')
  const ids = { id, repositoryId: repo.id, suiteId: suite.id, appId: app.id, headSha }
  const run = checkRuns(box.store).put(id, { ...draft, ...ids })
  annotations(box.store).put(id, notes)
  // Read the suite again: another run may have joined during the wait.
  const current = checkSuites(box.store).find(suite.id) ?? suite
  checkSuites(box.store).put(suite.id, { ...current, runs: [...current.runs, id] })
  await emitCheckRun(box, repo, { action: 'created', run, by: byActor(call) })
  await settle(call, run, run.status === 'completed')
  return run
}

/** Updates a check run from the body. */
export async function changeRun(call: RepoCall, before: CheckRun): Promise<CheckRun> {
  const { box } = call
  const app = checkingApp(call)
  if (before.appId !== app.id) {
    const rule = 'check run can only be modified by the GitHub App that created it.'
    throw new ApiError(403, `Invalid app_id \`${app.id}\` - ${rule}`)
  }
  const changed = applyBody(box, before, call.body)
  const notes = readAnnotations(call.body)
  const run = checkRuns(box.store).put(before.id, changed)
  annotations(box.store).put(run.id, [...(annotations(box.store).find(run.id) ?? []), ...notes])
  await settle(call, run, run.status === 'completed' && before.status !== 'completed')
  return run
}

async function settle(call: RepoCall, run: CheckRun, hasCompleted: boolean): Promise<void> {
  const by = byActor(call)
  if (hasCompleted) await emitCheckRun(call.box, call.repo, { action: 'completed', run, by })
  await settleSuite(call.box, call.repo, run.suiteId, by)
}

async function listAnnotations(call: RepoCall): Promise<Reply> {
  const run = runOf(call)
  const all = annotations(call.box.store).find(run.id) ?? []
  return await list(call, all, (one) => annotationView(call.box, call.repo, run.headSha, one))
}

async function rerequest(call: RepoCall): Promise<Reply> {
  const run = runOf(call)
  if (run.appId !== checkingApp(call).id) throw new ApiError(403, 'This check run is not rerequestable')
  if (run.status !== 'completed') throw new ApiError(422, 'This check run is not completed')
  await rerequestRun(call.box, call.repo, run, byActor(call))
  return created({})
}

/** Asks the App to repeat a check, like the button on the web page. The run itself does not change. */
export async function rerequestRun(box: Box, repo: RepositoryDocument, run: CheckRun, by: By): Promise<void> {
  const suite = checkSuites(box.store).find(run.suiteId)
  if (suite !== undefined) resetSuite(box, suite)
  await emitCheckRun(box, repo, { action: 'rerequested', run, by })
}

/** Tells the App that somebody pressed a button on its check run. */
export async function requestAction(
  box: Box,
  repo: RepositoryDocument,
  pressed: { readonly runId: number; readonly identifier: string; readonly by: By },
): Promise<void> {
  const run = checkRuns(box.store).find(pressed.runId)
  if (run === undefined || run.repositoryId !== repo.id) throw notFound()
  if (!run.actions.some(({ identifier }) => identifier === pressed.identifier)) {
    throw validationFailed({ resource: 'CheckRun', field: 'actions', code: 'invalid' })
  }
  const more = { requested_action: { identifier: pressed.identifier } }
  await emitCheckRun(box, repo, { action: 'requested_action', run, by: pressed.by, more })
}

interface RunEvent {
  readonly action: 'created' | 'completed' | 'rerequested' | 'requested_action'
  readonly run: CheckRun
  readonly by: By
  readonly more?: Readonly<Record<string, unknown>>
}

/**
 * Sends `check_run`: to everyone when it is created or completed, to its own App when something is requested.
 */
export async function emitCheckRun(
  box: Box,
  repo: RepositoryDocument,
  { action, run, by, more }: RunEvent,
): Promise<void> {
  const payload = { action, check_run: checkRunEventView(box, repo, run), ...more }
  const forAll = action === 'created' || action === 'completed'
  await emit(box, { name: 'check_run', payload, repo, ...by, ...(forAll ? {} : { onlyAppId: run.appId }) })
}
