import type { Reaction } from '../issues/issues.ts'
import { defineTable, type Store } from '../state/store.ts'

export type ReviewState = 'PENDING' | 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED' | 'DISMISSED'

/** What somebody says about a pull request as a whole. */
export interface Review {
  readonly id: number
  readonly repositoryId: number
  /** The pull request's. */
  readonly number: number
  readonly author: string
  readonly body: string
  readonly state: ReviewState
  readonly commitId: string
  /** Null while it is pending: only its author sees it. */
  readonly submittedAt: string | null
}

/** Where in a pull request's diff a comment stands. */
export interface Spot {
  readonly path: string
  readonly side: 'LEFT' | 'RIGHT'
  /** Null for a comment on a whole file. */
  readonly line: number | null
  readonly startLine: number | null
  readonly startSide: 'LEFT' | 'RIGHT' | null
  /** Lines below the file's first `@@`. */
  readonly position: number
  /** The diff as far as the line. */
  readonly hunk: string
}

/** A comment on a line of the diff; always part of a review. */
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

/** The comments on its diff, oldest first; those of pending reviews are not there yet. */
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
