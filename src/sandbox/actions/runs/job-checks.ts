import type { Box } from '../../box.ts'
import { blankRun } from '../../checks/check-run-body.ts'
import { emitCheckRun } from '../../checks/check-run-routes.ts'
import { settleSuite } from '../../checks/check-suite-routes.ts'
import { addSuite, type CheckRun, checkRuns, checkSuites } from '../../checks/checks.ts'
import type { RepositoryDocument } from '../../state/documents.ts'
import { getUser } from '../../state/lookups.ts'
import { actionsApp } from '../actions-app.ts'
import { runHtmlUrl } from '../actions-view.ts'
import type { Job, Run } from '../documents.ts'

/** Creates the run's check suite. Every run has its own. */
export function openSuite(
  box: Box,
  repo: RepositoryDocument,
  run: { readonly ref: string; readonly headSha: string },
): number {
  const headBranch = run.ref.startsWith('refs/heads/') ? run.ref.slice('refs/heads/'.length) : null
  const appId = actionsApp(box).id
  return addSuite(box, { repositoryId: repo.id, appId, headSha: run.headSha, headBranch, before: null }).id
}

/** Shows a job as a check run with the same id. */
export async function showAsCheck(
  box: Box,
  repo: RepositoryDocument,
  { job, run }: { readonly job: Job; readonly run: Run },
): Promise<void> {
  const known = checkRuns(box.store).find(job.id)
  // A job ends only once. Later updates are stale.
  if (known?.status === 'completed') return
  const check: CheckRun = {
    ...(known ?? blankRun(box)),
    id: job.id,
    repositoryId: repo.id,
    suiteId: run.checkSuiteId,
    appId: actionsApp(box).id,
    headSha: run.headSha,
    name: job.name,
    detailsUrl: `${runHtmlUrl(box, repo, run)}/job/${job.id}`,
    status: job.status,
    conclusion: job.conclusion,
    startedAt: job.startedAt,
    completedAt: job.completedAt,
  }
  checkRuns(box.store).put(job.id, check)
  const suite = checkSuites(box.store).find(run.checkSuiteId)
  if (suite !== undefined && known === undefined) {
    checkSuites(box.store).put(suite.id, { ...suite, runs: [...suite.runs, job.id] })
  }
  const by = { sender: getUser(box.store, run.triggeringActor) }
  if (known === undefined) await emitCheckRun(box, repo, { action: 'created', run: check, by })
  if (job.status === 'completed') await emitCheckRun(box, repo, { action: 'completed', run: check, by })
  await settleSuite(box, repo, run.checkSuiteId, by)
}
