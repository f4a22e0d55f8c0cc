import type { Box } from '../box.ts'
import { nodeId } from '../format.ts'
import { reactionRollup } from '../issues/reaction-view.ts'
import { authorAssociation, repoApiUrl, repoHtmlUrl } from '../repos/repository-view.ts'
import type { RepositoryDocument } from '../state/documents.ts'
import { loginView } from '../users/user-view.ts'
import type { Review, ReviewComment } from './reviews.ts'

/** GitHub's JSON for a review. */
export function reviewView(box: Box, repo: RepositoryDocument, review: Review) {
  const html = `${repoHtmlUrl(box, repo)}/pull/${review.number}#pullrequestreview-${review.id}`
  const pullUrl = `${repoApiUrl(box, repo)}/pulls/${review.number}`
  return {
    id: review.id,
    node_id: nodeId('PRR', review.id),
    user: loginView(box, review.author),
    body: review.body,
    state: review.state,
    html_url: html,
    pull_request_url: pullUrl,
    author_association: authorAssociation(repo, review.author),
    _links: { html: { href: html }, pull_request: { href: pullUrl } },
    ...(review.submittedAt === null ? {} : { submitted_at: review.submittedAt }),
    commit_id: review.commitId,
  }
}

/** The webhook form, with the state in lower case. */
export function reviewEventView(box: Box, repo: RepositoryDocument, review: Review) {
  const { submittedAt, state } = review
  return { ...reviewView(box, repo, review), state: state.toLowerCase(), submitted_at: submittedAt }
}

/** GitHub's JSON for a review comment. A comment on a whole file has no line. */
export function reviewCommentView(box: Box, repo: RepositoryDocument, comment: ReviewComment) {
  const { line, startLine } = comment.spot
  return {
    ...commentFacts(box, repo, comment),
    ...(line === null ? {} : { line, original_line: line }),
    start_line: startLine,
    original_start_line: startLine,
  }
}

/** The webhook form, where a missing line is null. */
export function reviewCommentEventView(box: Box, repo: RepositoryDocument, comment: ReviewComment) {
  const { line } = comment.spot
  return { line, original_line: line, ...reviewCommentView(box, repo, comment) }
}

function commentFacts(box: Box, repo: RepositoryDocument, comment: ReviewComment) {
  const { spot } = comment
  const api = repoApiUrl(box, repo)
  const url = `${api}/pulls/comments/${comment.id}`
  const html = `${repoHtmlUrl(box, repo)}/pull/${comment.number}#discussion_r${comment.id}`
  const pullUrl = `${api}/pulls/${comment.number}`
  return {
    url,
    pull_request_review_id: comment.reviewId,
    id: comment.id,
    node_id: nodeId('PRRC', comment.id),
    diff_hunk: spot.hunk,
    path: spot.path,
    position: spot.position,
    original_position: spot.position,
    commit_id: comment.commitId,
    original_commit_id: comment.commitId,
    user: loginView(box, comment.author),
    body: comment.body,
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    html_url: html,
    pull_request_url: pullUrl,
    author_association: authorAssociation(repo, comment.author),
    _links: { self: { href: url }, html: { href: html }, pull_request: { href: pullUrl } },
    reactions: reactionRollup(url, comment.reactions),
    side: spot.side,
    start_side: spot.startSide,
    subject_type: spot.line === null ? 'file' : 'line',
    ...(comment.inReplyTo === null ? {} : { in_reply_to_id: comment.inReplyTo }),
  }
}
