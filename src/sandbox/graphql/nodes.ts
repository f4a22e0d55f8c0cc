import { assertAccess } from '../access/permissions.ts'
import type { Call, Family, RepoCall } from '../box.ts'
import { findNumberInNodeId, nodeId } from '../format.ts'
import { ApiError } from '../http/errors.ts'
import type { Fields } from '../http/fields.ts'
import { comments, type IssueComment } from '../issues/comments.ts'
import { assertIssue } from '../issues/issue-access.ts'
import { findIssue } from '../issues/issues.ts'
import { READ_PULL } from '../pulls/pull-access.ts'
import { pullObject } from '../pulls/pull-drafts.ts'
import { findPullById } from '../pulls/pulls.ts'
import { repoHtmlUrl } from '../repos/repository-view.ts'
import { repositories } from '../state/documents.ts'
import { editFields } from './edit-fields.ts'

/** Lookup by node id, for issue comments and pull requests. */
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
