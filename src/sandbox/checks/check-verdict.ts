import type { Box } from '../box.ts'
import type { RepositoryDocument } from '../state/documents.ts'
import { latestRuns, runsOf, suitesAt } from './checks.ts'
import { combinedState } from './status-routes.ts'

const PASSING: readonly (string | null)[] = ['success', 'neutral', 'skipped']

/** True while a check or status of a commit runs or has failed: its pull request is `unstable`. */
export function hasOpenChecks(box: Box, repo: RepositoryDocument, sha: string): boolean {
  const runs = suitesAt(box.store, repo.id, sha).flatMap((suite) => latestRuns(runsOf(box.store, suite)))
  if (runs.some((run) => !PASSING.includes(run.conclusion))) return true
  return !['success', 'none'].includes(combinedState(box, repo, sha))
}
