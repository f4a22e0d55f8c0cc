import type { Box } from '../box.ts'
import { nodeId } from '../format.ts'
import { authorAssociation, repoApiUrl, repoHtmlUrl } from '../repos/repository-view.ts'
import type { RepositoryDocument } from '../state/documents.ts'
import { defineTable, type Store } from '../state/store.ts'
import { loginView } from '../users/user-view.ts'
import { performedVia } from './issue-view.ts'
import { findIssue, type Issue, type LastEdit, type Reaction } from './issues.ts'
import { reactionRollup } from './reaction-view.ts'

/** A comment on an issue or a pull request. */
export interface IssueComment {
  readonly id: number
  readonly repositoryId: number
  /** The issue's number. */
  readonly number: number
  readonly body: string
  readonly author: string
  readonly appId: number | null
  readonly reactions: readonly Reaction[]
  readonly createdAt: string
  readonly updatedAt: string
  readonly lastEdit?: LastEdit
}

export const comments = defineTable<IssueComment>('issue-comments')

/** Comments of a repository, oldest first. */
export function commentsOf(store: Store, repositoryId: number): IssueComment[] {
  return comments(store)
    .all()
    .filter((comment) => comment.repositoryId === repositoryId)
}

/** Comments on one issue or pull request, oldest first. */
export function commentsOn(store: Store, issue: Issue): IssueComment[] {
  return commentsOf(store, issue.repositoryId).filter((comment) => comment.number === issue.number)
}

/** GitHub's JSON for a comment. */
export function commentView(box: Box, repo: RepositoryDocument, comment: IssueComment) {
  const api = `${repoApiUrl(box, repo)}/issues`
  const url = `${api}/comments/${comment.id}`
  const isPull = findIssue(box.store, repo.id, comment.number)?.pull !== undefined
  const page = `${repoHtmlUrl(box, repo)}/${isPull ? 'pull' : 'issues'}/${comment.number}`
  return {
    url,
    html_url: `${page}#issuecomment-${comment.id}`,
    issue_url: `${api}/${comment.number}`,
    id: comment.id,
    node_id: nodeId('IC', comment.id),
    user: loginView(box, comment.author),
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    body: comment.body,
    author_association: authorAssociation(repo, comment.author),
    reactions: reactionRollup(url, comment.reactions),
    performed_via_github_app: performedVia(box, comment.appId),
  }
}
