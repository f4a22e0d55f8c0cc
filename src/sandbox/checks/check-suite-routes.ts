import { listRefs } from '../../git/repository.ts'
import { byActor } from '../access/sender.ts'
import type { Box, BoxEvent, Family, RefMoves, RepoCall } from '../box.ts'
import { isoTime } from '../format.ts'
import { ApiError, notFound } from '../http/errors.ts'
import { created, listIn, ok, type Reply } from '../http/reply.ts'
import { repoRoute } from '../http/route.ts'
import { minimalRepositoryView } from '../repos/repository-view.ts'
import { type App, apps, type RepositoryDocument } from '../state/documents.ts'
import { installationsOn } from '../state/lookups.ts'
import { emit } from '../webhooks/emit.ts'
import { checkSuiteView } from './check-view.ts'
import {
  addSuite,
  appsWithoutSuites,
  type CheckRun,
  type CheckSuite,
  type Conclusion,
  checkSuites,
  latestRuns,
  runsOf,
  suitesAt,
} from './checks.ts'

const READ = { checks: 'read' } as const
const WRITE = { checks: 'write' } as const
const SUITES = '/repos/{owner}/{repo}/check-suites'

/** Check suites: one per push and App that may write checks. */
export const checkSuitesFamily: Family = {
  routes: [
    repoRoute(`POST ${SUITES}`, WRITE, createSuite),
    repoRoute(`PATCH ${SUITES}/preferences`, { needs: WRITE, role: 'admin' }, setPreferences),
    repoRoute(`GET ${SUITES}/{check_suite_id}`, READ, async (call) => ok(await view(call, suiteOf(call)))),
    repoRoute(`POST ${SUITES}/{check_suite_id}/rerequest`, WRITE, rerequest),
    repoRoute('GET /repos/{owner}/{repo}/commits/{ref}/check-suites', READ, listForRef),
  ],
  onRefsMoved: requestSuites,
}

/** The sender of an event. */
export type By = Pick<BoxEvent, 'sender' | 'runId'>

/** The calling App. Only Apps create checks. */
export function checkingApp(call: RepoCall): App {
  if (call.actor.kind === 'installation') return call.actor.app
  throw new ApiError(403, 'You must authenticate via a GitHub App.')
}

/** The commit with this full id. */
export async function namedCommit(call: RepoCall, sha: string): Promise<string> {
  const found = /^[0-9a-f]{40}$/.test(sha) ? await call.git.find(`${sha}^{commit}`) : undefined
  if (found === undefined) throw new ApiError(422, `No commit found for SHA: ${sha}`)
  return found.id
}

/** The suite named by the path. */
export function suiteOf(call: RepoCall): CheckSuite {
  const found = checkSuites(call.box.store).find(call.path.number('check_suite_id'))
  if (found === undefined || found.repositoryId !== call.repo.id) throw notFound()
  return found
}

async function view(call: RepoCall, suite: CheckSuite) {
  return await checkSuiteView(call.box, call.repo, suite)
}

async function listForRef(call: RepoCall): Promise<Reply> {
  const ref = call.path.text('ref')
  const sha = await call.git.findCommit(ref)
  if (sha === undefined) throw new ApiError(422, `No commit found for SHA: ${ref}`)
  const appId = call.query.findNumber('app_id')
  const name = call.query.findText('check_name')
  const hasRun = (suite: CheckSuite): boolean =>
    name === undefined || runsOf(call.box.store, suite).some((run) => run.name === name)
  const suites = suitesAt(call.box.store, call.repo.id, sha).filter(
    (suite) => (appId === undefined || suite.appId === appId) && hasRun(suite),
  )
  return await listIn(call, 'check_suites', suites, (suite) => view(call, suite))
}

async function createSuite(call: RepoCall): Promise<Reply> {
  const app = checkingApp(call)
  const sha = await namedCommit(call, call.body.text('head_sha'))
  const { suite, isNew } = await ensureSuite(call, app.id, sha)
  return isNew ? created(await view(call, suite)) : ok(await view(call, suite))
}

/** The App's suite for a commit, created if missing. */
export async function ensureSuite(
  call: RepoCall,
  appId: number,
  headSha: string,
): Promise<{ readonly suite: CheckSuite; readonly isNew: boolean }> {
  const { box, repo } = call
  const find = () => suitesAt(box.store, repo.id, headSha).find((suite) => suite.appId === appId)
  const heads = find() === undefined ? await listRefs(call.git.repository, 'refs/heads/') : new Map()
  // Look again: another request may have created it in the meantime.
  const known = find()
  if (known !== undefined) return { suite: known, isNew: false }
  const head = [...heads].find(([, id]) => id === headSha)?.[0]
  const headBranch = head?.slice('refs/heads/'.length) ?? null
  const draft = { repositoryId: repo.id, appId, headSha, headBranch, before: null }
  return { suite: addSuite(box, draft), isNew: true }
}

async function requestSuites(box: Box, { repo, moves, ...by }: RefMoves): Promise<void> {
  const silent = appsWithoutSuites(box.store).find(repo.id) ?? []
  const installed = installationsOn(box.store, repo).filter(
    ({ permissions, suspendedAt, appId }) =>
      permissions.checks === 'write' && suspendedAt === null && !silent.includes(appId),
  )
  for (const { ref, before, after } of moves) {
    if (after === undefined || !ref.startsWith('refs/heads/')) continue
    const headBranch = ref.slice('refs/heads/'.length)
    for (const { appId } of installed) {
      if (suitesAt(box.store, repo.id, after).some((suite) => suite.appId === appId)) continue
      const draft = { repositoryId: repo.id, appId, headSha: after, headBranch, before: before ?? null }
      await emitEvent(box, repo, { action: 'requested', suite: addSuite(box, draft), by })
    }
  }
}

interface SuiteEvent {
  readonly action: 'requested' | 'rerequested' | 'completed'
  readonly suite: CheckSuite
  readonly by: By
}

async function emitEvent(
  box: Box,
  repo: RepositoryDocument,
  { action, suite, by }: SuiteEvent,
): Promise<void> {
  const payload = { action, check_suite: await checkSuiteView(box, repo, suite) }
  // A request concerns only the suite's App. Completion concerns everyone.
  const audience = action === 'completed' ? {} : { onlyAppId: suite.appId }
  await emit(box, { name: 'check_suite', payload, repo, ...audience, ...by })
}

async function rerequest(call: RepoCall): Promise<Reply> {
  const suite = suiteOf(call)
  if (suite.appId !== checkingApp(call).id) throw new ApiError(403, 'This check suite is not rerequestable')
  const fresh = resetSuite(call.box, suite)
  await emitEvent(call.box, call.repo, { action: 'rerequested', suite: fresh, by: byActor(call) })
  return created({})
}

/** Resets a suite to queued. Its runs stay unchanged until the App updates them. */
export function resetSuite(box: Box, suite: CheckSuite): CheckSuite {
  const updatedAt = isoTime(box.now())
  return checkSuites(box.store).put(suite.id, { ...suite, status: 'queued', conclusion: null, updatedAt })
}

/** Updates a suite after one of its runs changed, and sends an event when all are completed. */
export async function settleSuite(
  box: Box,
  repo: RepositoryDocument,
  suiteId: number,
  by: By,
): Promise<void> {
  const suite = checkSuites(box.store).find(suiteId)
  if (suite === undefined) return
  const runs = latestRuns(runsOf(box.store, suite))
  const updatedAt = isoTime(box.now())
  const settled = checkSuites(box.store).put(suite.id, { ...suite, ...summarise(runs), updatedAt })
  if (settled.status === 'completed' && suite.status !== 'completed') {
    await emitEvent(box, repo, { action: 'completed', suite: settled, by })
  }
}

// The first of these that any run has becomes the suite's conclusion.
const SEVERITY: readonly Conclusion[] = [
  'failure',
  'timed_out',
  'action_required',
  'cancelled',
  'success',
  'neutral',
  'skipped',
]

function summarise(runs: readonly CheckRun[]): Pick<CheckSuite, 'status' | 'conclusion'> {
  const open = runs.filter((run) => run.status !== 'completed')
  if (open.length === 0) {
    const conclusion = SEVERITY.find((one) => runs.some((run) => run.conclusion === one)) ?? null
    return { status: 'completed', conclusion }
  }
  const untouched = runs.every((run) => run.status === 'queued')
  return { status: untouched ? 'queued' : 'in_progress', conclusion: null }
}

function setPreferences(call: RepoCall): Reply {
  const { box, repo } = call
  const silent = new Set(appsWithoutSuites(box.store).find(repo.id) ?? [])
  for (const wish of call.body.objects('auto_trigger_checks')) {
    if (wish.findFlag('setting') === false) silent.add(wish.number('app_id'))
    else silent.delete(wish.number('app_id'))
  }
  appsWithoutSuites(box.store).put(repo.id, [...silent])
  const installed = installationsOn(box.store, repo).filter(({ appId }) => apps(box.store).find(appId))
  return ok({
    preferences: {
      auto_trigger_checks: installed.map(({ appId }) => ({ app_id: appId, setting: !silent.has(appId) })),
    },
    repository: minimalRepositoryView(box, repo),
  })
}
