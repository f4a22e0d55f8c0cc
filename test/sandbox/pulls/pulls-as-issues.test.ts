import { describe, expect, it } from 'vitest'
import { failure, REPO, startReceiver, startTestBox } from '../support.ts'
import { actionsOf, openPull } from './a-pull.ts'

describe('a pull request', () => {
  it('a pull request shares numbers, lists and counts with issues', async () => {
    const box = await startTestBox()
    const wendy = box.as('wendy')
    await wendy.rest.issues.create({ ...REPO, title: 'an issue' })
    const { pull_number } = await openPull(wendy, { draft: true })
    expect(pull_number).toBe(2)
    expect((await wendy.rest.issues.create({ ...REPO, title: 'another' })).data.number).toBe(3)
    const all = (await wendy.rest.issues.listForRepo(REPO)).data
    expect(all.map((issue) => [issue.number, issue.pull_request !== undefined])).toEqual([
      [3, false],
      [2, true],
      [1, false],
    ])
    const asIssue = (await wendy.rest.issues.get({ ...REPO, issue_number: 2 })).data
    expect(asIssue).toMatchObject({
      draft: true,
      html_url: `${box.url}/acme/demo/pull/2`,
      pull_request: { url: `${box.apiUrl}/repos/acme/demo/pulls/2`, merged_at: null },
    })
    expect((await wendy.rest.repos.get(REPO)).data.open_issues_count).toBe(3)
    await box.as('olivia').rest.repos.update({ ...REPO, has_issues: false })
    expect((await wendy.rest.issues.listForRepo(REPO)).data.map((issue) => issue.number)).toEqual([2])
    const said = await wendy.rest.issues.createComment({ ...REPO, issue_number: 2, body: 'still here' })
    expect(said.data.html_url).toBe(`${box.url}/acme/demo/pull/2#issuecomment-1`)
  })

  it('an App with either permission labels, closes and comments on a pull request', async () => {
    const box = await startTestBox()
    const { pull_number } = await openPull(box.as('wendy'))
    const target = { ...REPO, issue_number: pull_number }
    for (const permissions of [{ pull_requests: 'write' }, { issues: 'write' }] as const) {
      const { issues } = (await box.installation(permissions)).rest
      expect((await issues.addLabels({ ...target, labels: ['a'] })).data).toHaveLength(1)
      expect((await issues.update({ ...target, state: 'closed' })).data).toMatchObject({
        state: 'closed',
        state_reason: null,
      })
      expect((await issues.update({ ...target, state: 'open' })).data.state).toBe('open')
      expect((await issues.createComment({ ...target, body: 'ok' })).status).toBe(201)
    }
    const blind = await box.installation({ contents: 'write' })
    expect((await failure(blind.rest.issues.createComment({ ...target, body: 'no' }))).status).toBe(403)
    // Reactions, and reading it as an issue, need the issues permission.
    const pulls = await box.installation({ pull_requests: 'write' })
    expect((await failure(pulls.rest.issues.get(target))).status).toBe(403)
    const wink = pulls.rest.reactions.createForIssue({ ...target, content: 'eyes' })
    expect((await failure(wink)).status).toBe(403)
  })

  it('changes through the issue routes send pull_request, and comments send issue_comment', async () => {
    const receiver = await startReceiver()
    const box = await startTestBox({ webhookUrl: receiver.url })
    const wendy = box.as('wendy')
    const target = { ...REPO, issue_number: (await openPull(wendy)).pull_number }
    await box.settled()
    receiver.received.length = 0
    const { issues } = wendy.rest
    await issues.addLabels({ ...target, labels: ['a'] })
    await issues.update({ ...target, title: 'New', state: 'closed' })
    await issues.lock(target)
    await issues.createComment({ ...target, body: 'done' })
    await box.settled()
    expect(actionsOf(receiver.received, 'issues', 'pull_request', 'issue_comment')).toEqual([
      'pull_request.labeled',
      'pull_request.edited',
      'pull_request.closed',
      'pull_request.locked',
      'issue_comment.created',
    ])
    expect(receiver.received.at(-1)?.payload).toMatchObject({
      issue: { number: 1, pull_request: { html_url: `${box.url}/acme/demo/pull/1` } },
    })
  })
  // Its events read git, which lets other calls run in between.
  it('concurrent changes to a pull request are all kept', async () => {
    const receiver = await startReceiver()
    const box = await startTestBox({ webhookUrl: receiver.url })
    const target = { ...REPO, issue_number: (await openPull(box.as('wendy'))).pull_number }
    const { issues } = box.as('wendy').rest
    const names = ['a', 'b', 'c', 'd', 'e']
    await Promise.all([
      issues.update({ ...target, title: 'another', assignees: ['rita'], state: 'closed' }),
      ...names.map((name) => issues.addLabels({ ...target, labels: [name] })),
      ...names.map((body) => issues.createComment({ ...target, body })),
    ])
    const { data } = await issues.get(target)
    expect(data).toMatchObject({ comments: 5, title: 'another', state: 'closed' })
    expect(data.labels).toHaveLength(5)
    expect(data.assignees).toHaveLength(1)
  })
})
