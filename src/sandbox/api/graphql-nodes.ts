import { type Family, findNumberInNodeId, nodeId } from '../box.ts'
import type { Call, RepoCall } from '../http/call.ts'
import { ApiError } from '../http/errors.ts'
import type { Fields } from '../http/fields.ts'
import { assertAccess } from '../http/permissions.ts'
import { comments, type IssueComment } from '../state/comments.ts'
import { repositories } from '../state/documents.ts'
import { findIssue } from '../state/issues.ts'
import { findPullById } from '../state/pulls.ts'
import { repoHtmlUrl } from '../views/repositories.ts'
import { editFields } from './graphql-edits.ts'
import { assertIssue } from './issue-access.ts'
import { READ_PULL } from './pull-access.ts'
import { pullObject } from './pull-drafts.ts'

/** What has an id: comments in a conversation, and pull requests. */
export const graphqlNodesFamily: Family = { routes: [], graphql: { queries: { node: findNode } } }

async function findNode(call: Call, args: Fields): Promise<unknown> {
  const id = args.text('id')
  const comment = comments(call.box.store).find(findNumberInNodeId('IC', id) ?? 0)
  const pull = findPullById(call.box.store, findNumberInNodeId('PR', id) ?? 0)
  const repo = repositories(call.box.store).find(comment?.repositoryId ?? pull?.pull.repositoryId ?? 0)
  if (repo === undefined) throw new ApiError(404, `Could not resolve to a node with the global id of '${id}'`)
  const inRepo: RepoCall = { ...call, method: 'GET', repo, git: await call.box.git.get(repo.id) }
  if (comment !== undefined) return commentObject(inRepo, comment)
  assertAccess(call.actor, repo, READ_PULL, false)
  return pull && pullObject(inRepo, pull)
}

function commentObject(call: RepoCall, comment: IssueComment) {
  const issue = assertIssue(call, findIssue(call.box.store, call.repo.id, comment.number))
  return {
    __typename: 'IssueComment',
    id: nodeId('IC', comment.id),
    databaseId: comment.id,
    body: comment.body,
    url: `${repoHtmlUrl(call.box, call.repo)}/issues/${issue.number}#issuecomment-${comment.id}`,
    ...editFields(call, comment.lastEdit),
  }
}
