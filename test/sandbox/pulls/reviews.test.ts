import { describe, expect, it } from 'vitest'
import { failure, REPO, startReceiver, startTestBox } from '../support.ts'
import { actionsOf, commitTo, openPull } from './a-pull.ts'

describe('reviews', () => {
  it('a review approves, requests changes or comments, and can be dismissed', async () => {
    const receiver = await startReceiver()
    const box = await startTestBox({ webhookUrl: receiver.url })
    const target = { ...REPO, pull_number: (await openPull(box.as('wendy'))).pull_number }
    const review = async (login: string, more: object) =>
      (await box.as(login).rest.pulls.createReview({ ...target, ...more })).data
    await box.as('wendy').rest.pulls.requestReviewers({ ...target, reviewers: ['rita'] })
    expect(await review('rita', { event: 'APPROVE' })).toMatchObject({ state: 'APPROVED', body: '' })
    const asked = await box.as('wendy').rest.pulls.listRequestedReviewers(target)
    expect(asked.data.users).toEqual([])
    const wanted = await review('olivia', { event: 'REQUEST_CHANGES', body: 'no' })
    await review('wendy', { event: 'COMMENT', body: 'hm' })
    const { data } = await box.as('sam').rest.pulls.listReviews(target)
    expect(data.map(({ state }) => state)).toEqual(['APPROVED', 'CHANGES_REQUESTED', 'COMMENTED'])
    const dismissal = { ...target, review_id: wanted.id, message: 'done' }
    expect((await failure(box.as('rita').rest.pulls.dismissReview(dismissal))).status).toBe(403)
    const dismissed = await box.as('wendy').rest.pulls.dismissReview(dismissal)
    expect(dismissed.data.state).toBe('DISMISSED')
    expect((await failure(box.as('wendy').rest.pulls.dismissReview(dismissal))).status).toBe(422)
    const edit = { ...target, review_id: wanted.id, body: 'yes' }
    expect((await failure(box.as('wendy').rest.pulls.updateReview(edit))).status).toBe(403)
    expect((await box.as('olivia').rest.pulls.updateReview(edit)).data.body).toBe('yes')
    await box.settled()
    expect(actionsOf(receiver.received, 'pull_request_review').map((name) => name.slice(20))).toEqual([
      'submitted',
      'submitted',
      'submitted',
      'dismissed',
      'edited',
    ])
    const first = receiver.received.find(({ event }) => event === 'pull_request_review')
    expect(first?.payload).toMatchObject({ review: { state: 'approved', user: { login: 'rita' } } })
  })

  it("a review is refused with GitHub's reasons", async () => {
    const box = await startTestBox()
    const target = { ...REPO, pull_number: (await openPull(box.as('wendy'))).pull_number }
    const refused = async (login: string, more: object) =>
      await failure(box.as(login).rest.pulls.createReview({ ...target, ...more }))
    expect((await refused('wendy', { event: 'APPROVE' })).message).toContain('approve your own')
    expect((await refused('rita', { event: 'REQUEST_CHANGES' })).status).toBe(422)
    expect((await refused('rita', { event: 'COMMENT' })).status).toBe(422)
    expect((await refused('rita', { event: 'APPROVE', commit_id: 'f'.repeat(40) })).status).toBe(422)
    const weak = await box.installation({ pull_requests: 'read' })
    expect((await failure(weak.rest.pulls.createReview({ ...target, event: 'APPROVE' }))).status).toBe(403)
    const missing = { ...target, review_id: 99 }
    expect((await failure(box.as('rita').rest.pulls.getReview(missing))).status).toBe(404)
  })

  it('a pending review is visible only to its author', async () => {
    const receiver = await startReceiver()
    const box = await startTestBox({ webhookUrl: receiver.url })
    const target = { ...REPO, pull_number: (await openPull(box.as('wendy'))).pull_number }
    const rita = box.as('rita').rest.pulls
    const comments = [{ path: 'src/a.txt', line: 2, side: 'RIGHT', body: 'why 2?' }]
    const pending = (await rita.createReview({ ...target, comments })).data
    expect(pending).toMatchObject({ state: 'PENDING' })
    expect((await failure(rita.createReview({ ...target }))).message).toContain('one pending review')
    expect((await box.as('wendy').rest.pulls.listReviews(target)).data).toEqual([])
    expect((await rita.listReviews(target)).data).toHaveLength(1)
    expect((await rita.listReviewComments(target)).data).toEqual([])
    const review = { ...target, review_id: pending.id }
    expect((await failure(box.as('wendy').rest.pulls.getReview(review))).status).toBe(404)
    await rita.submitReview({ ...review, event: 'COMMENT' })
    expect((await failure(rita.submitReview({ ...review, event: 'COMMENT', body: 'x' }))).status).toBe(422)
    expect((await failure(rita.deletePendingReview(review))).status).toBe(422)
    expect((await rita.listCommentsForReview(review)).data).toMatchObject([{ body: 'why 2?', line: 2 }])
    const other = (await rita.createReview(target)).data
    await rita.deletePendingReview({ ...target, review_id: other.id })
    expect((await rita.listReviews(target)).data).toHaveLength(1)
    await box.settled()
    expect(actionsOf(receiver.received, 'pull_request_review', 'pull_request_review_comment')).toEqual([
      'pull_request_review.submitted',
      'pull_request_review_comment.created',
    ])
  })
})

describe('comments on a diff', () => {
  it('a review comment is made on a line, position or file, and can be answered, edited and deleted', async () => {
    const receiver = await startReceiver()
    const box = await startTestBox({ webhookUrl: receiver.url })
    const { pull_number, sha } = await openPull(box.as('wendy'))
    const target = { ...REPO, pull_number }
    const spot = { ...target, commit_id: sha, path: 'src/a.txt', body: 'here' }
    const rita = box.as('rita').rest.pulls
    const right = (await rita.createReviewComment({ ...spot, line: 2, side: 'RIGHT' })).data
    expect(right).toMatchObject({ line: 2, position: 3, side: 'RIGHT', user: { login: 'rita' } })
    expect(right.diff_hunk).toBe('@@ -1,3 +1,3 @@\n one\n-two\n+2')
    const left = (await rita.createReviewComment({ ...spot, line: 2, side: 'LEFT' })).data
    expect(left).toMatchObject({ line: 2, position: 2, side: 'LEFT' })
    const byPosition = (await rita.createReviewComment({ ...spot, position: 2 })).data
    expect(byPosition).toMatchObject({ line: 2, side: 'LEFT' })
    const range = { ...spot, start_line: 1, start_side: 'RIGHT', line: 3, side: 'RIGHT' } as const
    expect((await rita.createReviewComment(range)).data).toMatchObject({ start_line: 1, line: 3 })
    const file = (await rita.createReviewComment({ ...spot, subject_type: 'file' })).data
    expect(file.subject_type).toBe('file')
    const answer = { ...target, comment_id: right.id, body: 'because' }
    const answered = (await box.as('wendy').rest.pulls.createReplyForReviewComment(answer)).data
    expect(answered).toMatchObject({ in_reply_to_id: right.id, path: 'src/a.txt', line: 2 })
    expect((await rita.get(target)).data.review_comments).toBe(6)
    const one = { ...REPO, comment_id: right.id }
    expect((await rita.updateReviewComment({ ...one, body: 'there' })).data.body).toBe('there')
    expect(
      (await failure(box.as('tariq').rest.pulls.updateReviewComment({ ...one, body: 'x' }))).status,
    ).toBe(403)
    const reactions = box.as('tariq').rest.reactions
    await reactions.createForPullRequestReviewComment({ ...one, content: 'heart' })
    expect((await rita.getReviewComment(one)).data.reactions).toMatchObject({ heart: 1, total_count: 1 })
    await box.as('wendy').rest.pulls.deleteReviewComment({ ...REPO, comment_id: left.id })
    expect((await rita.listReviewCommentsForRepo(REPO)).data).toHaveLength(5)
    await box.settled()
    const told = actionsOf(receiver.received, 'pull_request_review_comment').map((name) => name.slice(28))
    expect(told).toEqual([...Array.from({ length: 6 }, () => 'created'), 'edited', 'deleted'])
  })

  it('a review comment is refused outside the diff and in locked conversations', async () => {
    const box = await startTestBox()
    const { pull_number, sha } = await openPull(box.as('wendy'))
    await commitTo(box.as('wendy'), 'topic', 'other.txt', 'x\n')
    const spot = { ...REPO, pull_number, commit_id: sha, path: 'src/a.txt', body: 'here', line: 2 }
    const refused = async (more: object, login = 'rita') =>
      (await failure(box.as(login).rest.pulls.createReviewComment({ ...spot, ...more }))).status
    expect(await refused({ path: 'README.md' })).toBe(422)
    expect(await refused({ line: 40 })).toBe(422)
    expect(await refused({ start_line: 3 })).toBe(422)
    expect(await refused({ body: ' ' })).toBe(422)
    expect(await refused({ commit_id: 'f'.repeat(40) })).toBe(422)
    expect(await refused({ in_reply_to: 99 })).toBe(404)
    await box.as('olivia').rest.issues.lock({ ...REPO, issue_number: pull_number })
    expect(await refused({})).toBe(403)
  })
})
