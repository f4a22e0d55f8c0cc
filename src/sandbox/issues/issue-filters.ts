import type { RepoCall } from '../box.ts'
import { labelsOn } from '../labels/labels.ts'
import type { Issue } from './issues.ts'

/** Filters and sorts issues and pull requests by a list's parameters. */
export function filterIssues(call: RepoCall, all: readonly Issue[]): Issue[] {
  const { query } = call
  const state = query.findText('state') ?? 'open'
  const labels = (query.findText('labels') ?? '').split(',').map(normal).filter(Boolean)
  const since = Date.parse(query.findText('since') ?? '')
  const creator = query.findText('creator')
  const assignee = query.findText('assignee') ?? undefined
  const tests: ((issue: Issue) => boolean)[] = [
    (issue) => state === 'all' || issue.state === state,
    (issue) => labels.length === 0 || hasAll(labelNames(call, issue), labels),
    (issue) => Number.isNaN(since) || Date.parse(issue.updatedAt) >= since,
    (issue) => creator === undefined || normal(issue.author) === normal(creator),
    (issue) => matchesAssignee(issue, assignee),
  ]
  return sortIssues(
    all.filter((issue) => tests.every((test) => test(issue))),
    query.findText('sort') ?? 'created',
    query.findText('direction') ?? 'desc',
  )
}

function normal(text: string): string {
  return text.trim().toLowerCase()
}

function labelNames(call: RepoCall, issue: Issue): string[] {
  return labelsOn(call.box.store, issue).map((label) => normal(label.name))
}

function hasAll(names: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((name) => names.includes(name))
}

function matchesAssignee(issue: Issue, assignee: string | undefined): boolean {
  if (assignee === undefined) return true
  if (assignee === 'none') return issue.assignees.length === 0
  if (assignee === '*') return issue.assignees.length > 0
  return issue.assignees.some((login) => normal(login) === normal(assignee))
}

const VALUES: Readonly<Record<string, (issue: Issue) => number>> = {
  created: (issue) => Date.parse(issue.createdAt),
  updated: (issue) => Date.parse(issue.updatedAt),
  comments: (issue) => issue.comments,
}

/** Sorts by `created`, `updated` or `comments`, then by number. */
export function sortIssues(issues: readonly Issue[], by: string, direction: string): Issue[] {
  const value = VALUES[by] ?? (() => 0)
  const sign = direction === 'asc' ? 1 : -1
  return [...issues].sort((a, b) => sign * (value(a) - value(b) || a.number - b.number))
}
