import { describe, expect, it } from 'vitest'
import { REPO, startTestBox } from '../support.ts'
import { commitTo, openPull } from './a-pull.ts'

describe('the timeline of a pull request', () => {
  it("a pull request's timeline lists its changes in order", async () => {
    const box = await startTestBox()
    const client = box.as('wendy')
    const { pull_number } = await openPull(client, { draft: true })
    const target = { ...REPO, pull_number }
    const { node_id } = (await client.rest.pulls.get(target)).data
    const mutation = 'markPullRequestReadyForReview(input: { pullRequestId: $id }) { clientMutationId }'
    await client.graphql(`mutation($id: ID!) { ${mutation} }`, { id: node_id })
    await client.rest.pulls.requestReviewers({ ...target, reviewers: ['rita', 'tariq'] })
    await client.rest.pulls.removeRequestedReviewers({ ...target, reviewers: ['tariq'] })
    const review = await box.as('rita').rest.pulls.createReview({ ...target, event: 'APPROVE' })
    await client.rest.pulls.dismissReview({ ...target, review_id: review.data.id, message: 'late' })
    await commitTo(client, 'topic', 'more.txt', 'more\n')
    await client.rest.pulls.merge(target)
    const issue = { ...REPO, issue_number: pull_number }
    const events = (await client.rest.issues.listEvents(issue)).data
    expect(events.map(({ event }) => event)).toEqual([
      'ready_for_review',
      'review_requested',
      'review_requested',
      'review_request_removed',
      'review_dismissed',
      'merged',
      'closed',
    ])
    expect((await client.rest.issues.listEventsForTimeline(issue)).status).toBe(200)
    expect((await client.rest.issues.listEventsForRepo(REPO)).data.length).toBeGreaterThanOrEqual(7)
  })
})
