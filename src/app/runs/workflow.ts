import { runnerRef } from '../../store/layout.ts'

/** The workflow that runs candidates. */
export const WORKFLOW_FILE = 'loreley.yml'
export const WORKFLOW_PATH = `.github/workflows/${WORKFLOW_FILE}`

/** The branch on which a campaign's runs are dispatched, pinned to its root. */
export function runnerBranch(campaign: string): string {
  return runnerRef(campaign).slice('refs/heads/'.length)
}
