import type { Box } from '../box.ts'
import { nodeId } from '../format.ts'
import { repoApiUrl } from '../repos/repository-view.ts'
import type { RepositoryDocument } from '../state/documents.ts'
import { loginView } from '../users/user-view.ts'
import type { IssueEvent } from './issue-events.ts'
import { performedVia } from './issue-view.ts'

/** One entry of an issue's or pull request's history. */
export function issueEventView(box: Box, repo: RepositoryDocument, event: IssueEvent) {
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
