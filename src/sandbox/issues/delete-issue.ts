import { assertAccess } from '../access/permissions.ts'
import type { Call, Family } from '../box.ts'
import { findNumberInNodeId } from '../format.ts'
import { repositoryObject } from '../graphql/repository-object.ts'
import { ApiError } from '../http/errors.ts'
import type { Fields } from '../http/fields.ts'
import { repositories } from '../state/documents.ts'
import type { Store } from '../state/store.ts'
import { comments, commentsOn } from './comments.ts'
import { doerOf, emitIssue } from './issue-changes.ts'
import { eventsOf, issueEvents } from './issue-events.ts'
import { issueView } from './issue-view.ts'
import { findIssueById, type Issue, removeIssue } from './issues.ts'

/** Issues are deleted by GraphQL only, by admins; pull requests never. */
export const deleteIssueFamily: Family = { routes: [], graphql: { mutations: { deleteIssue } } }

async function deleteIssue(call: Call, args: Fields) {
  const { box } = call
  const input = args.findObject('input')
  const nodeId = input?.text('issueId') ?? ''
  const number = findNumberInNodeId('I', nodeId)
  const issue = number === undefined ? undefined : findIssueById(box.store, number)
  const repo = issue === undefined ? undefined : repositories(box.store).find(issue.repositoryId)
  if (issue === undefined || repo === undefined || issue.pull !== undefined) {
    throw new ApiError(404, `Could not resolve to a node with the global id of '${nodeId}'`)
  }
  assertAccess(call.actor, repo, { needs: { issues: 'write' }, role: 'admin' }, true)
  const view = issueView(box, repo, issue)
  removeWithTraces(box.store, issue)
  await emitIssue(doerOf({ ...call, repo }), { action: 'deleted', issue: view })
  return {
    clientMutationId: input?.findText('clientMutationId') ?? null,
    repository: () => repositoryObject(call, repo.owner, repo.name),
  }
}

function removeWithTraces(store: Store, issue: Issue): void {
  for (const comment of commentsOn(store, issue)) comments(store).remove(comment.id)
  for (const event of eventsOf(store, issue.repositoryId)) {
    if (event.number === issue.number) issueEvents(store).remove(event.id)
  }
  removeIssue(store, issue)
}
