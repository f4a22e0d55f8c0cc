import type { Doer, Family, RepoCall } from '../box.ts'
import { notFound } from '../http/errors.ts'
import { Fields } from '../http/fields.ts'
import { created, list, noContent, ok, type Reply } from '../http/reply.ts'
import { repoRoute } from '../http/route.ts'
import { loginView } from '../users/user-view.ts'
import { getIssue, READ_ISSUE, TRIAGE_ISSUE } from './issue-access.ts'
import { addToTimeline, doerOf, emitIssueChange, touchIssue } from './issue-changes.ts'
import { fullIssueView } from './issue-view.ts'
import { freshIssue, type Issue } from './issues.ts'

const ASSIGNEES = '/repos/{owner}/{repo}/assignees'
const ON_ISSUE = '/repos/{owner}/{repo}/issues/{issue_number}/assignees'

/** Assignees of issues and pull requests. */
export const assigneesFamily: Family = {
  routes: [
    repoRoute(`GET ${ASSIGNEES}`, READ_ISSUE, async (call) =>
      list(call, assignable(call), (login) => loginView(call.box, login)),
    ),
    repoRoute(`GET ${ASSIGNEES}/{assignee}`, READ_ISSUE, (call) => {
      if (findAssignable(call, call.path.text('assignee')) === undefined) throw notFound()
      return noContent()
    }),
    repoRoute(`POST ${ON_ISSUE}`, TRIAGE_ISSUE, async (call) => {
      const issue = getIssue(call)
      const wanted = [...issue.assignees, ...resolveAssignees(call)]
      return show(call, await setAssignees(doerOf(call), issue, wanted), created)
    }),
    repoRoute(`DELETE ${ON_ISSUE}`, TRIAGE_ISSUE, async (call) => {
      const issue = getIssue(call)
      const removed = resolveAssignees(call)
      const kept = issue.assignees.filter((login) => !removed.includes(login))
      return show(call, await setAssignees(doerOf(call), issue, kept), ok)
    }),
  ],
}

function show(call: RepoCall, issue: Issue, reply: (json: unknown) => Reply): Reply {
  return reply(fullIssueView(call.box, call.repo, issue))
}

function assignable(call: RepoCall): string[] {
  return Object.keys(call.repo.collaborators)
}

function findAssignable(call: RepoCall, login: string): string | undefined {
  return assignable(call).find((one) => one.toLowerCase() === login.toLowerCase())
}

/** The assignees named by the body. As on GitHub, people who cannot be assigned are left out. */
export function resolveAssignees(call: RepoCall): string[] {
  const given = call.body.raw('assignees') ?? [call.body.raw('assignee')]
  if (!Array.isArray(given)) return []
  const logins = given.map((item) => (typeof item === 'string' ? item : new Fields(item).findText('login')))
  return logins.flatMap((login) => (login === undefined ? [] : (findAssignable(call, login) ?? [])))
}

const MOST_ASSIGNEES = 10

/** Sets the assignees of an issue or pull request. Each change sends its own event. */
export async function setAssignees(doer: Doer, before: Issue, logins: readonly string[]): Promise<Issue> {
  const issue = freshIssue(doer.box.store, before)
  const assignees = [...new Set(logins)].slice(0, MOST_ASSIGNEES)
  const removed = issue.assignees.filter((login) => !assignees.includes(login))
  const added = assignees.filter((login) => !issue.assignees.includes(login))
  if (removed.length + added.length === 0) return issue
  const changed = touchIssue(doer.box, issue, { assignees })
  for (const login of removed) await emitAssigneeChange(doer, changed, 'unassigned', login)
  for (const login of added) await emitAssigneeChange(doer, changed, 'assigned', login)
  return changed
}

/** Records a changed assignee in the timeline and sends the event. */
export async function emitAssigneeChange(
  doer: Doer,
  issue: Issue,
  action: 'assigned' | 'unassigned',
  login: string,
): Promise<void> {
  addToTimeline(doer, issue, action, { assignee: login })
  await emitIssueChange({ doer, issue, action, more: { assignee: loginView(doer.box, login) } })
}
