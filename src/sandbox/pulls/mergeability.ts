import type { Box } from '../box.ts'
import { latestRuns, runsOf, suitesAt } from '../checks/checks.ts'
import { combinedState } from '../checks/status-routes.ts'
import type { RepositoryDocument } from '../state/documents.ts'
import type { Mergeability } from './pull-view.ts'
import type { Pull } from './pulls.ts'
import { testMerge } from './test-merge.ts'

/** Finds out whether a pull request can be merged now, by a test merge. */
export async function findMergeability(
  box: Box,
  repo: RepositoryDocument,
  { pull, issue }: Pull,
): Promise<Mergeability> {
  if (issue.state === 'closed') return { mergeable: null, state: 'unknown', commit: null }
  const merged = await testMerge(box, repo, pull)
  if (merged.status !== 'clean') return { mergeable: false, state: 'dirty', commit: null }
  const held = hasOpenChecks(box, repo, pull.head.sha)
  const state = pull.draft ? 'draft' : held ? 'unstable' : 'clean'
  return { mergeable: true, state, commit: merged.commit }
}

const PASSING: readonly (string | null)[] = ['success', 'neutral', 'skipped']

/** True while a check or status of a commit is running or has failed: its pull request is `unstable`. */
function hasOpenChecks(box: Box, repo: RepositoryDocument, sha: string): boolean {
  const runs = suitesAt(box.store, repo.id, sha).flatMap((suite) => latestRuns(runsOf(box.store, suite)))
  if (runs.some((run) => !PASSING.includes(run.conclusion))) return true
  return !['success', 'none'].includes(combinedState(box, repo, sha))
}
