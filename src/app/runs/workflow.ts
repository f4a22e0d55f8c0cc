import { runnerRef } from '../../store/layout.ts'

/** The one workflow that works on candidates. */
export const WORKFLOW_FILE = 'loreley.yml'
export const WORKFLOW_PATH = `.github/workflows/${WORKFLOW_FILE}`

/** The branch that a campaign's candidates are dispatched on, pinned to its root. */
export function runnerBranch(campaign: string): string {
  return runnerRef(campaign).slice('refs/heads/'.length)
}
