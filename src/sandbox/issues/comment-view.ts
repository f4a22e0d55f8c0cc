import type { Box } from '../box.ts'
import { nodeId } from '../format.ts'
import { authorAssociation } from '../repos/associations.ts'
import { repoApiUrl, repoHtmlUrl } from '../repos/repository-view.ts'
import type { RepositoryDocument } from '../state/documents.ts'
import { loginView } from '../users/user-view.ts'
import type { IssueComment } from './comments.ts'
import { performedVia } from './issue-view.ts'
import { findIssue } from './issues.ts'
import { reactionRollup } from './reaction-view.ts'

/** A comment on an issue or a pull request. */
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
