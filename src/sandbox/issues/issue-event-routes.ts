import type { Box, Family, RepoCall } from '../box.ts'
import { nodeId } from '../format.ts'
import { notFound } from '../http/errors.ts'
import { list, ok, type Reply } from '../http/reply.ts'
import { repoRoute } from '../http/route.ts'
import { repoApiUrl } from '../repos/repository-view.ts'
import type { RepositoryDocument } from '../state/documents.ts'
import { loginView } from '../users/user-view.ts'
import { commentsOn, commentView, type IssueComment } from './comments.ts'
import { getIssue, READ_ISSUE } from './issue-access.ts'
import { eventsOf, type IssueEvent } from './issue-events.ts'
import { issueView, performedVia } from './issue-view.ts'
import { findIssue, type Issue } from './issues.ts'

const ISSUES = '/repos/{owner}/{repo}/issues'

/** Events and timelines of issues and pull requests. */
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

/** GitHub's JSON for an issue event. */
function issueEventView(box: Box, repo: RepositoryDocument, event: IssueEvent) {
  const api = repoApiUrl(box, repo)
  const { label, assignee, rename, stateReason, lockReason, requestedReviewer } = event.detail
  const actor = loginView(box, event.actor)
  return {
    id: event.id,
    node_id: nodeId('IE', event.id),
    url: `${api}/issues/events/${event.id}`,
    actor,
    event: event.event,
    commit_id: event.commitId,
    commit_url: event.commitId === null ? null : `${api}/commits/${event.commitId}`,
    created_at: event.createdAt,
    performed_via_github_app: performedVia(box, event.appId),
    ...(label === undefined ? {} : { label }),
    ...(assignee === undefined ? {} : { assignee: loginView(box, assignee), assigner: actor }),
    ...(rename === undefined ? {} : { rename }),
    ...(stateReason === undefined ? {} : { state_reason: stateReason }),
    ...(lockReason === undefined ? {} : { lock_reason: lockReason }),
    ...(requestedReviewer === undefined
      ? {}
      : { requested_reviewer: loginView(box, requestedReviewer), review_requester: actor }),
  }
}
