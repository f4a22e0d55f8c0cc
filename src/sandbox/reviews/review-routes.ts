import type { Family, RepoCall } from '../box.ts'
import { ApiError, notFound } from '../http/errors.ts'
import { list, ok, type Reply } from '../http/reply.ts'
import { repoRoute } from '../http/route.ts'
import { assertBody, assertUnlocked, isActor, notYours } from '../issues/issue-access.ts'
import { addToTimeline, doerOf } from '../issues/issue-changes.ts'
import { getPull, PULL, READ_PULL, WRITE_PULL } from '../pulls/pull-access.ts'
import { pullCommits, pullFiles } from '../pulls/pull-view.ts'
import type { Pull } from '../pulls/pulls.ts'
import { readSpot } from './diff-position.ts'
import { addReview, addReviewComment, emitReview, submitReview } from './review-changes.ts'
import { reviewCommentView, reviewEventView, reviewView } from './review-view.ts'
import {
  commentsOfReview,
  type Review,
  type ReviewState,
  reviewComments,
  reviews,
  reviewsOf,
} from './reviews.ts'

const REVIEWS = `${PULL}/reviews`
const REVIEW = `${REVIEWS}/{review_id}`
const DISMISS = { needs: { pull_requests: 'write' }, role: 'write' } as const

/** Reviews of pull requests. */
export const reviewsFamily: Family = {
  routes: [
    repoRoute(`GET ${REVIEWS}`, READ_PULL, (call) =>
      list(call, visibleTo(call), (review) => reviewView(call.box, call.repo, review)),
    ),
    repoRoute(`POST ${REVIEWS}`, WRITE_PULL, create),
    repoRoute(`GET ${REVIEW}`, READ_PULL, (call) => show(call, getReview(call))),
    repoRoute(`PUT ${REVIEW}`, WRITE_PULL, update),
    repoRoute(`DELETE ${REVIEW}`, WRITE_PULL, removePending),
    repoRoute(`GET ${REVIEW}/comments`, READ_PULL, (call) =>
      list(call, commentsOfReview(call.box.store, getReview(call)), (comment) =>
        reviewCommentView(call.box, call.repo, comment),
      ),
    ),
    repoRoute(`POST ${REVIEW}/events`, WRITE_PULL, submit),
    repoRoute(`PUT ${REVIEW}/dismissals`, DISMISS, dismiss),
  ],
}

function show(call: RepoCall, review: Review): Reply {
  return ok(reviewView(call.box, call.repo, review))
}

// Only the author sees a pending review.
function visibleTo(call: RepoCall): Review[] {
  return reviewsOf(call.box.store, getPull(call).pull).filter(
    (review) => review.state !== 'PENDING' || isActor(call, review.author),
  )
}

function getReview(call: RepoCall): Review {
  const id = call.path.number('review_id')
  const found = visibleTo(call).find((review) => review.id === id)
  if (found === undefined) throw notFound()
  return found
}

function getOwnReview(call: RepoCall): Review {
  const review = getReview(call)
  if (!isActor(call, review.author)) throw notYours()
  return review
}

async function create(call: RepoCall): Promise<Reply> {
  const whole = getPull(call)
  const doer = doerOf(call)
  assertUnlocked(call, whole.issue)
  const said = readSaid(call, whole, '', call.body.objects('comments').length > 0)
  const commitId = await readCommit(call, whole)
  const files = await pullFiles(call.git, whole.pull)
  const remarks = call.body.objects('comments').map((remark) => {
    assertBody('IssueComment', remark.text('body'))
    return { body: remark.text('body'), spot: readSpot(files, remark), inReplyTo: null }
  })
  // No await from here until it is saved: of two concurrent requests, one must see the other.
  if (visibleTo(call).some((review) => review.state === 'PENDING')) {
    throw new ApiError(422, 'User can only have one pending review per pull request')
  }
  const review = addReview(doer, whole, { body: call.body.findText('body') ?? '', commitId })
  for (const remark of remarks) addReviewComment(doer, review, remark)
  return show(call, said === undefined ? review : await submitReview(doer, getPull(call), review, said))
}

async function readCommit(call: RepoCall, { pull }: Pull): Promise<string> {
  const given = call.body.findText('commit_id')
  if (given === undefined || given === pull.head.sha) return pull.head.sha
  if ((await pullCommits(call.git, pull)).includes(given)) return given
  throw new ApiError(422, 'commit_id is not part of the pull request')
}

const STATE_OF: Readonly<Record<string, ReviewState>> = {
  APPROVE: 'APPROVED',
  REQUEST_CHANGES: 'CHANGES_REQUESTED',
  COMMENT: 'COMMENTED',
}

interface Said {
  readonly state: ReviewState
  readonly body: string
}

/** The review state that the body's event asks for. Undefined leaves the review pending. */
function readSaid(call: RepoCall, { issue }: Pull, before: string, hasComments: boolean): Said | undefined {
  const state = STATE_OF[call.body.findText('event') ?? '']
  const body = call.body.findText('body') ?? before
  assertBody('Issue', body)
  if (state === undefined) return undefined
  if (state !== 'COMMENTED' && isActor(call, issue.author)) {
    const deed = state === 'APPROVED' ? 'approve' : 'request changes on'
    throw new ApiError(422, `Can not ${deed} your own pull request`)
  }
  const needsText = state === 'CHANGES_REQUESTED' || (state === 'COMMENTED' && !hasComments)
  if (needsText && body.trim() === '') throw new ApiError(422, 'Body is required for this event')
  return { state, body }
}

async function submit(call: RepoCall): Promise<Reply> {
  const whole = getPull(call)
  const review = getOwnReview(call)
  if (review.state !== 'PENDING') throw new ApiError(422, 'Can not submit a review that is not pending')
  const hasComments = commentsOfReview(call.box.store, review).length > 0
  const said = readSaid(call, whole, review.body, hasComments)
  if (said === undefined) throw new ApiError(422, 'An event is required')
  return show(call, await submitReview(doerOf(call), whole, review, said))
}

async function update(call: RepoCall): Promise<Reply> {
  const review = getOwnReview(call)
  const body = call.body.text('body')
  assertBody('Issue', body)
  const changed = reviews(call.box.store).put(review.id, { ...review, body })
  if (review.state !== 'PENDING' && body !== review.body) {
    const changes = { body: { from: review.body } }
    const view = reviewEventView(call.box, call.repo, changed)
    await emitReview(doerOf(call), getPull(call), { action: 'edited', changes, review: view })
  }
  return show(call, changed)
}

function removePending(call: RepoCall): Reply {
  const review = getOwnReview(call)
  if (review.state !== 'PENDING') throw new ApiError(422, 'Can not delete a non-pending pull request review')
  for (const { id } of commentsOfReview(call.box.store, review)) reviewComments(call.box.store).remove(id)
  reviews(call.box.store).remove(review.id)
  return show(call, review)
}

async function dismiss(call: RepoCall): Promise<Reply> {
  const whole = getPull(call)
  const review = getReview(call)
  if (review.state !== 'APPROVED' && review.state !== 'CHANGES_REQUESTED') {
    throw new ApiError(422, `Can not dismiss a ${review.state.toLowerCase()} pull request review`)
  }
  const doer = doerOf(call)
  const changed = reviews(call.box.store).put(review.id, { ...review, state: 'DISMISSED' })
  addToTimeline(doer, whole.issue, 'review_dismissed')
  const view = reviewEventView(call.box, call.repo, changed)
  await emitReview(doer, whole, { action: 'dismissed', review: view })
  return show(call, changed)
}
