import type { Doer } from '../box.ts'
import { isoTime } from '../format.ts'
import { emitBy, touchIssue } from '../issues/issue-changes.ts'
import { pullView } from '../pulls/pull-view.ts'
import { type Pull, savePull } from '../pulls/pulls.ts'
import { reviewCommentEventView, reviewEventView } from './review-view.ts'
import {
  commentsOfReview,
  type Review,
  type ReviewComment,
  type ReviewState,
  reviewComments,
  reviews,
  type Spot,
} from './reviews.ts'

/** Starts a review. Only its author sees it until it is submitted. */
export function addReview(
  { box, repo, sender }: Doer,
  { pull }: Pull,
  draft: Pick<Review, 'body' | 'commitId'>,
): Review {
  const id = box.store.next('reviews')
  const { login } = sender
  const ids = { id, repositoryId: repo.id, number: pull.number, author: login }
  return reviews(box.store).put(id, { ...draft, ...ids, state: 'PENDING', submittedAt: null })
}

/** Adds a comment to a review. Sends no event. */
export function addReviewComment(
  { box, sender }: Doer,
  review: Review,
  draft: { readonly body: string; readonly spot: Spot; readonly inReplyTo: number | null },
): ReviewComment {
  const id = box.store.next('review-comments')
  const now = isoTime(box.now())
  const { repositoryId, number, commitId } = review
  return reviewComments(box.store).put(id, {
    ...draft,
    ...{ id, repositoryId, number, commitId },
    reviewId: review.id,
    author: sender.login,
    reactions: [],
    createdAt: now,
    updatedAt: now,
  })
}

/** Submits a review with its comments, and removes the author from the requested reviewers. */
export async function submitReview(
  doer: Doer,
  whole: Pull,
  review: Review,
  said: { readonly state: ReviewState; readonly body: string },
): Promise<Review> {
  const { box, repo, sender } = doer
  const { pull } = whole
  const requestedReviewers = pull.requestedReviewers.filter((login) => login !== sender.login)
  const answered = {
    pull: savePull(box.store, { ...pull, requestedReviewers }),
    issue: touchIssue(box, whole.issue, {}),
  }
  const submitted = reviews(box.store).put(review.id, {
    ...review,
    ...said,
    submittedAt: isoTime(box.now()),
  })
  await emitReview(doer, answered, { action: 'submitted', review: reviewEventView(box, repo, submitted) })
  for (const comment of commentsOfReview(box.store, submitted)) {
    await emitReviewComment(doer, answered, comment, { action: 'created' })
  }
  return submitted
}

/** Sends a `pull_request_review` event. */
export async function emitReview(
  doer: Doer,
  whole: Pull,
  payload: Readonly<Record<string, unknown>>,
): Promise<void> {
  const pull_request = pullView(doer.box, doer.repo, whole)
  await emitBy(doer, 'pull_request_review', { ...payload, pull_request })
}

/** Sends a `pull_request_review_comment` event. */
export async function emitReviewComment(
  doer: Doer,
  whole: Pull,
  comment: ReviewComment,
  payload: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { box, repo } = doer
  const view = reviewCommentEventView(box, repo, comment)
  const pull_request = pullView(box, repo, whole)
  await emitBy(doer, 'pull_request_review_comment', { ...payload, comment: view, pull_request })
}
