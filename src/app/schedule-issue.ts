import { findByTitle, findIssue, openIssue } from '../github/issues/issues.ts'
import { renderScheduleIssue } from '../reports/issues/schedule-issue.ts'
import type { RepositoryTools } from './repository-tools.ts'

interface ScheduleIssue {
  readonly number: number
  readonly title: string
}

/**
 * The one issue where people see and steer what a schedule starts: `known`, that of an earlier campaign, while it
 * exists, else one of its title, else a new one. Undefined where GitHub takes none, as with issues switched off.
 */
export async function findScheduleIssue(
  { api, actor, log }: RepositoryTools,
  campaign: string,
  known: number | undefined,
): Promise<ScheduleIssue | undefined> {
  const { title, body } = renderScheduleIssue(campaign)
  const stands = known === undefined ? undefined : await findIssue(api, known)
  const found = stands ?? (await findByTitle(api, { creator: actor, title }))
  // Whatever the title is now: words that somebody else may have put there are no direction.
  if (found !== undefined) return { number: found.number, title }
  const opened = await openIssue(api, { title, body })
  if (opened.status === 'done') return { number: opened.value.number, title }
  log('warn', 'a scheduled campaign has no issue', { campaign, outcome: opened.status })
  return undefined
}
