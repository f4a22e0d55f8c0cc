import type { Reaction } from '../issues/issues.ts'
import { defineTable, type Store } from '../state/store.ts'

export type ReviewState = 'PENDING' | 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED' | 'DISMISSED'

/** A review of a pull request. */
export interface Review {
  readonly id: number
  readonly repositoryId: number
  /** The pull request's number. */
  readonly number: number
  readonly author: string
  readonly body: string
  readonly state: ReviewState
  readonly commitId: string
  /** Null while it is pending and visible only to its author. */
  readonly submittedAt: string | null
}

/** The position of a comment in a pull request's diff. */
export interface Spot {
  readonly path: string
  readonly side: 'LEFT' | 'RIGHT'
  /** Null for a comment on a whole file. */
  readonly line: number | null
  readonly startLine: number | null
  readonly startSide: 'LEFT' | 'RIGHT' | null
  /** Lines below the file's first `@@`. */
  readonly position: number
  /** The diff up to the line. */
  readonly hunk: string
}

/** A comment on a line of the diff. Always part of a review. */
export interface ReviewComment {
  readonly id: number
  readonly repositoryId: number
  readonly number: number
  readonly reviewId: number
  readonly author: string
  readonly body: string
  readonly commitId: string
  readonly spot: Spot
  /** The first comment of the thread that this one answers. */
  readonly inReplyTo: number | null
  readonly reactions: readonly Reaction[]
  readonly createdAt: string
  readonly updatedAt: string
}

export const reviews = defineTable<Review>('reviews')
export const reviewComments = defineTable<ReviewComment>('review-comments')

interface PullKey {
  readonly repositoryId: number
  readonly number: number
}

const isOf =
  (pull: PullKey) =>
  (row: PullKey): boolean =>
    row.repositoryId === pull.repositoryId && row.number === pull.number

/** The reviews of a pull request, oldest first. */
export function reviewsOf(store: Store, pull: PullKey): Review[] {
  return reviews(store).all().filter(isOf(pull))
}

/** The submitted comments on its diff, oldest first. */
export function reviewCommentsOf(store: Store, pull: PullKey): ReviewComment[] {
  return reviewComments(store)
    .all()
    .filter((comment) => isOf(pull)(comment) && isSubmitted(store, comment))
}

export function isSubmitted(store: Store, comment: ReviewComment): boolean {
  return reviews(store).find(comment.reviewId)?.state !== 'PENDING'
}

/** The comments of one review, pending or not. */
export function commentsOfReview(store: Store, review: Review): ReviewComment[] {
  return reviewComments(store)
    .all()
    .filter((comment) => comment.reviewId === review.id)
}
