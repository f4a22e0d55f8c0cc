import { describe, expect, it } from 'vitest'
import { failure, REPO, startReceiver, startTestBox } from '../support.ts'
import { actionsOf, branchFromMain, commitTo, openPull } from './a-pull.ts'

describe('pull requests', () => {
  it('a pull request opens under the next issue number, with real diffs, files and commits', async () => {
    const box = await startTestBox()
    const client = await box.installation()
    await box.as('rita').rest.issues.create({ ...REPO, title: 'An issue' })
    const { pull_number, sha } = await openPull(client)
    const target = { ...REPO, pull_number }
    expect(pull_number).toBe(2)
    const { data } = await client.rest.pulls.get(target)
    expect(data).toMatchObject({
      state: 'open',
      user: { login: 'tester[bot]' },
      head: { ref: 'topic', sha, label: 'acme:topic' },
      base: { ref: 'main' },
      mergeable: true,
      mergeable_state: 'clean',
      commits: 1,
      additions: 1,
      deletions: 1,
      changed_files: 1,
    })
    const files = (await client.rest.pulls.listFiles(target)).data
    expect(files).toMatchObject([{ filename: 'src/a.txt', status: 'modified' }])
    expect(files[0]?.patch).toContain('-two\n+2')
    expect((await client.rest.pulls.listCommits(target)).data).toMatchObject([{ sha }])
    const diff = await client.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', {
      ...target,
      mediaType: { format: 'diff' },
    })
    expect(String(diff.data)).toContain('diff --git a/src/a.txt b/src/a.txt')
    const patch = await client.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', {
      ...target,
      mediaType: { format: 'patch' },
    })
    expect(String(patch.data)).toContain('Subject: [PATCH] change src/a.txt on topic')
    const issue = await client.rest.issues.get({ ...REPO, issue_number: pull_number })
    expect(issue.data.pull_request?.html_url).toBe(data.html_url)
    const found = await client.rest.repos.listPullRequestsAssociatedWithCommit({ ...REPO, commit_sha: sha })
    expect(found.data.map(({ number }) => number)).toEqual([2])
  })

  it("a pull request is refused with GitHub's reasons", async () => {
    const box = await startTestBox()
    const client = box.as('wendy')
    await openPull(client)
    await branchFromMain(client, 'empty')
    const refused = async (head: string, base = 'main', who = client) =>
      await failure(who.rest.pulls.create({ ...REPO, title: 'x', head, base }))
    expect((await refused('empty')).message).toContain('No commits between main and empty')
    expect((await refused('topic')).message).toContain('A pull request already exists for acme:topic.')
    expect((await refused('none')).message).toContain('"field":"head","code":"invalid"')
    expect((await refused('topic', 'none')).message).toContain('"field":"base","code":"invalid"')
    expect((await refused('someone:topic')).status).toBe(422)
    expect((await refused('topic', 'main', box.as('rita'))).status).toBe(403)
    const reader = await box.installation({ pull_requests: 'read' })
    expect((await refused('topic', 'main', reader)).status).toBe(403)
    expect((await failure(client.rest.pulls.get({ ...REPO, pull_number: 99 }))).status).toBe(404)
  })

  it('one of two equal requests to open a pull request wins', async () => {
    const box = await startTestBox()
    const client = box.as('wendy')
    await branchFromMain(client, 'topic')
    await commitTo(client, 'topic', 'new.txt', 'new\n')
    const create = () => client.rest.pulls.create({ ...REPO, title: 'x', head: 'topic', base: 'main' })
    const outcomes = await Promise.allSettled([create(), create(), create()])
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('pull requests are listed by state, head, base and order', async () => {
    const box = await startTestBox()
    const client = box.as('wendy')
    const one = await openPull(client, { branch: 'one' })
    const two = await openPull(client, { branch: 'two' })
    await client.rest.pulls.update({ ...REPO, pull_number: one.pull_number, state: 'closed' })
    const list = async (more: object) =>
      (await client.rest.pulls.list({ ...REPO, ...more })).data.map(({ number }) => number)
    expect(await list({})).toEqual([two.pull_number])
    expect(await list({ state: 'all' })).toEqual([2, 1])
    expect(await list({ state: 'all', sort: 'created', direction: 'asc' })).toEqual([1, 2])
    expect(await list({ state: 'closed' })).toEqual([1])
    expect(await list({ head: 'acme:two' })).toEqual([2])
    expect(await list({ base: 'other' })).toEqual([])
  })

  it('a pull request sends an event for each change and follows pushes to its head', async () => {
    const receiver = await startReceiver()
    const box = await startTestBox({ webhookUrl: receiver.url })
    const client = box.as('wendy')
    const { pull_number, sha } = await openPull(client)
    const target = { ...REPO, pull_number }
    await client.rest.pulls.update({ ...target, title: 'Better', body: 'text' })
    const next = await commitTo(client, 'topic', 'more.txt', 'more\n')
    expect((await client.rest.pulls.get(target)).data.head.sha).toBe(next)
    await client.rest.issues.addLabels({ ...REPO, issue_number: pull_number, labels: ['good'] })
    await client.rest.issues.removeLabel({ ...REPO, issue_number: pull_number, name: 'good' })
    await client.rest.pulls.requestReviewers({ ...target, reviewers: ['rita'] })
    await client.rest.pulls.removeRequestedReviewers({ ...target, reviewers: ['rita'] })
    await client.rest.pulls.update({ ...target, state: 'closed' })
    await client.rest.pulls.update({ ...target, state: 'open' })
    await branchFromMain(client, 'next')
    await client.rest.pulls.update({ ...target, base: 'next' })
    await client.rest.git.deleteRef({ ...REPO, ref: 'heads/topic' })
    expect((await client.rest.pulls.get(target)).data).toMatchObject({ state: 'closed', merged: false })
    expect((await failure(client.rest.pulls.update({ ...target, state: 'open' }))).status).toBe(422)
    const reopened = client.rest.issues.update({ ...REPO, issue_number: pull_number, state: 'open' })
    expect((await failure(reopened)).status).toBe(422)
    await box.settled()
    expect(actionsOf(receiver.received, 'pull_request').map((name) => name.slice(13))).toEqual([
      'opened',
      'edited',
      'synchronize',
      'labeled',
      'unlabeled',
      'review_requested',
      'review_request_removed',
      'closed',
      'reopened',
      'edited',
      'closed',
    ])
    const pushed = receiver.received.find(({ payload }) => payload.action === 'synchronize')
    expect(pushed?.payload).toMatchObject({ before: sha, after: next, pull_request: { commits: 2 } })
  })

  it('authors and writers change a pull request, and triagers can close it', async () => {
    const box = await startTestBox()
    const { pull_number } = await openPull(box.as('wendy'))
    const update = async (login: string, change: object) =>
      await box.as(login).rest.pulls.update({ ...REPO, pull_number, ...change })
    expect((await failure(update('rita', { title: 'x' }))).status).toBe(403)
    expect((await failure(update('tariq', { title: 'x' }))).status).toBe(403)
    expect((await update('tariq', { state: 'closed' })).data.state).toBe('closed')
    expect((await update('olivia', { title: 'ours' })).data.title).toBe('ours')
  })

  it('GraphQL turns a pull request into a draft and back', async () => {
    const receiver = await startReceiver()
    const box = await startTestBox({ webhookUrl: receiver.url })
    const client = await box.installation()
    const { pull_number } = await openPull(client, { draft: true })
    const target = { ...REPO, pull_number }
    const { data } = await client.rest.pulls.get(target)
    expect(data).toMatchObject({ draft: true, mergeable_state: 'draft' })
    const mutate = async (name: string, who = client) =>
      await who.graphql(
        `mutation($id: ID!) { ${name}(input: { pullRequestId: $id }) { pullRequest { isDraft mergeable } } }`,
        { id: data.node_id },
      )
    await expect(mutate('markPullRequestReadyForReview', box.as('rita'))).rejects.toThrow()
    expect(await mutate('markPullRequestReadyForReview')).toMatchObject({
      markPullRequestReadyForReview: { pullRequest: { isDraft: false, mergeable: 'MERGEABLE' } },
    })
    await mutate('convertPullRequestToDraft')
    const read = '{ repository(owner: "acme", name: "demo") { pullRequest(number: 1) { isDraft state } } }'
    expect(await client.graphql(read)).toMatchObject({
      repository: { pullRequest: { isDraft: true, state: 'OPEN' } },
    })
    await box.settled()
    expect(actionsOf(receiver.received, 'pull_request')).toEqual([
      'pull_request.opened',
      'pull_request.ready_for_review',
      'pull_request.converted_to_draft',
    ])
  })
})
