import type { Family, RepoCall } from '../box.ts'
import { notFound } from '../http/errors.ts'
import { list, ok, type Reply } from '../http/reply.ts'
import { repoRoute } from '../http/route.ts'
import { loginView } from '../users/user-view.ts'
import { commentView } from './comment-view.ts'
import { commentsOn, type IssueComment } from './comments.ts'
import { getIssue, READ_ISSUE } from './issue-access.ts'
import { issueEventView } from './issue-event-view.ts'
import { eventsOf, type IssueEvent } from './issue-events.ts'
import { issueView } from './issue-view.ts'
import { findIssue, type Issue } from './issues.ts'

const ISSUES = '/repos/{owner}/{repo}/issues'

/** What happened to issues and pull requests. */
export const issueEventsFamily: Family = {
  routes: [
    repoRoute(`GET ${ISSUES}/events`, { issues: 'read' }, async (call) => {
      const newestFirst = eventsOf(call.box.store, call.repo.id).reverse()
      return await list(call, newestFirst, (event) => eventWithIssue(call, event))
    }),
    repoRoute(`GET ${ISSUES}/events/{event_id}`, READ_ISSUE, (call) => {
      const id = call.path.number('event_id')
      const event = eventsOf(call.box.store, call.repo.id).find((one) => one.id === id)
      if (event === undefined) throw notFound()
      return ok(eventWithIssue(call, event))
    }),
    repoRoute(`GET ${ISSUES}/{issue_number}/events`, READ_ISSUE, async (call) =>
      list(call, eventsOn(call, getIssue(call)), (event) => issueEventView(call.box, call.repo, event)),
    ),
    repoRoute(`GET ${ISSUES}/{issue_number}/timeline`, READ_ISSUE, timeline),
  ],
}

function eventsOn(call: RepoCall, issue: Issue): IssueEvent[] {
  return eventsOf(call.box.store, call.repo.id).filter((event) => event.number === issue.number)
}

function eventWithIssue(call: RepoCall, event: IssueEvent) {
  const issue = findIssue(call.box.store, call.repo.id, event.number)
  return {
    ...issueEventView(call.box, call.repo, event),
    issue: issue === undefined ? null : issueView(call.box, call.repo, issue),
  }
}

/** Events and comments together, oldest first. */
async function timeline(call: RepoCall): Promise<Reply> {
  const issue = getIssue(call)
  const entries = [
    ...eventsOn(call, issue).map((event) => ({
      at: event.createdAt,
      view: () => issueEventView(call.box, call.repo, event),
    })),
    ...commentsOn(call.box.store, issue).map((comment) => ({
      at: comment.createdAt,
      view: () => timelineComment(call, comment),
    })),
  ]
  entries.sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
  return await list(call, entries, (entry) => entry.view())
}

function timelineComment(call: RepoCall, comment: IssueComment) {
  const view = commentView(call.box, call.repo, comment)
  return { event: 'commented', ...view, actor: loginView(call.box, comment.author) }
}
