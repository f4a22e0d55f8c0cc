import type { Family, RepoCall } from '../box.ts'
import { isoTime } from '../format.ts'
import { ApiError, notFound } from '../http/errors.ts'
import { created, list, noContent, ok, type Reply } from '../http/reply.ts'
import { repoRoute } from '../http/route.ts'
import { assertBody, assertOwnOrWriter, assertUnlocked } from '../issues/issue-access.ts'
import { doerOf } from '../issues/issue-changes.ts'
import type { Reaction } from '../issues/issues.ts'
import { reactionRoutes } from '../issues/reaction-routes.ts'
import { getPull, PULL, READ_PULL, WRITE_PULL } from '../pulls/pull-access.ts'
import { pullCommits, pullFiles } from '../pulls/pull-view.ts'
import { findPull, type Pull } from '../pulls/pulls.ts'
import { readSpot } from './diff-position.ts'
import { addReview, addReviewComment, emitReviewComment, submitReview } from './review-changes.ts'
import { reviewCommentView } from './review-view.ts'
import { isSubmitted, type ReviewComment, reviewComments, reviewCommentsOf, type Spot } from './reviews.ts'

const ALL = '/repos/{owner}/{repo}/pulls/comments'
const COMMENT = `${ALL}/{comment_id}`

/** Comments on lines of a pull request's diff. */
export const reviewCommentsFamily: Family = {
  routes: [
    repoRoute(`GET ${ALL}`, READ_PULL, (call) => show(call, allOf(call))),
    repoRoute(`GET ${PULL}/comments`, READ_PULL, (call) =>
      show(call, reviewCommentsOf(call.box.store, getPull(call).pull)),
    ),
    repoRoute(`POST ${PULL}/comments`, WRITE_PULL, create),
    repoRoute(`POST ${PULL}/comments/{comment_id}/replies`, WRITE_PULL, (call) =>
      reply(call, call.path.number('comment_id')),
    ),
    repoRoute(`GET ${COMMENT}`, READ_PULL, (call) => ok(view(call, getComment(call)))),
    repoRoute(`PATCH ${COMMENT}`, WRITE_PULL, update),
    repoRoute(`DELETE ${COMMENT}`, WRITE_PULL, remove),
    ...reactionRoutes(COMMENT, 'pull_requests', (call) => {
      const comment = getComment(call)
      const save = (reactions: readonly Reaction[]) =>
        reviewComments(call.box.store).put(comment.id, { ...comment, reactions })
      return { reactions: comment.reactions, save }
    }),
  ],
}

function view(call: RepoCall, comment: ReviewComment) {
  return reviewCommentView(call.box, call.repo, comment)
}

function allOf({ box, repo }: RepoCall): ReviewComment[] {
  return reviewComments(box.store)
    .all()
    .filter((comment) => comment.repositoryId === repo.id && isSubmitted(box.store, comment))
}

function getComment(call: RepoCall): ReviewComment {
  const found = allOf(call).find((comment) => comment.id === call.path.number('comment_id'))
  if (found === undefined) throw notFound()
  return found
}

function pullOf(call: RepoCall, comment: ReviewComment): Pull {
  const found = findPull(call.box.store, call.repo.id, comment.number)
  if (found === undefined) throw notFound()
  return found
}

// Oldest first, unless both sort and direction are given.
async function show(call: RepoCall, all: readonly ReviewComment[]): Promise<Reply> {
  const since = Date.parse(call.query.findText('since') ?? '')
  const sort = call.query.findText('sort')
  const time = (one: ReviewComment): number => Date.parse(sort === 'updated' ? one.updatedAt : one.createdAt)
  const found = all
    .filter((comment) => Number.isNaN(since) || Date.parse(comment.updatedAt) >= since)
    .sort((a, b) => time(a) - time(b) || a.id - b.id)
  const isReversed = sort !== undefined && call.query.findText('direction') === 'desc'
  return await list(call, isReversed ? found.reverse() : found, (comment) => view(call, comment))
}

async function create(call: RepoCall): Promise<Reply> {
  const parent = call.body.findNumber('in_reply_to')
  if (parent !== undefined) return await reply(call, parent)
  const { pull } = getPull(call)
  const commitId = call.body.text('commit_id')
  if (!(await pullCommits(call.git, pull)).includes(commitId)) {
    throw new ApiError(422, 'commit_id is not part of the pull request')
  }
  const spot = readSpot(await pullFiles(call.git, pull), call.body)
  return await say(call, { spot, commitId, inReplyTo: null })
}

async function reply(call: RepoCall, parentId: number): Promise<Reply> {
  const parent = reviewCommentsOf(call.box.store, getPull(call).pull).find(({ id }) => id === parentId)
  if (parent === undefined) throw notFound()
  const { spot, commitId } = parent
  return await say(call, { spot, commitId, inReplyTo: parent.inReplyTo ?? parent.id })
}

interface Remark {
  readonly spot: Spot
  readonly commitId: string
  readonly inReplyTo: number | null
}

// As on GitHub, a single comment gets its own review.
async function say(call: RepoCall, { spot, commitId, inReplyTo }: Remark): Promise<Reply> {
  const whole = getPull(call)
  assertUnlocked(call, whole.issue)
  const body = call.body.text('body')
  assertBody('IssueComment', body)
  const doer = doerOf(call)
  const review = addReview(doer, whole, { body: '', commitId })
  const comment = addReviewComment(doer, review, { body, spot, inReplyTo })
  await submitReview(doer, whole, review, { state: 'COMMENTED', body: '' })
  return created(view(call, comment))
}

async function update(call: RepoCall): Promise<Reply> {
  const comment = getComment(call)
  assertOwnOrWriter(call, comment.author)
  const body = call.body.text('body')
  assertBody('IssueComment', body)
  const updatedAt = isoTime(call.box.now())
  const changed = reviewComments(call.box.store).put(comment.id, { ...comment, body, updatedAt })
  const changes = { body: { from: comment.body } }
  await emitReviewComment(doerOf(call), pullOf(call, comment), changed, { action: 'edited', changes })
  return ok(view(call, changed))
}

async function remove(call: RepoCall): Promise<Reply> {
  const comment = getComment(call)
  assertOwnOrWriter(call, comment.author)
  reviewComments(call.box.store).remove(comment.id)
  await emitReviewComment(doerOf(call), pullOf(call, comment), comment, { action: 'deleted' })
  return noContent()
}
