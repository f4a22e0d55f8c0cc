import type { Box } from '../../box.ts'
import { checkRuns } from '../../checks/checks.ts'

const MAX_CHARS = 65_535

/** Shows what a job's steps wrote to GITHUB_STEP_SUMMARY, as the summary of its check run. */
export function saveSummary(box: Box, jobId: number, summaries: readonly string[]): void {
  const check = checkRuns(box.store).find(jobId)
  if (check === undefined || summaries.length === 0) return
  const summary = summaries.join('\n').slice(0, MAX_CHARS)
  checkRuns(box.store).put(jobId, { ...check, output: { ...check.output, title: 'Summary', summary } })
}
