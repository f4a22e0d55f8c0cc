import { describe, expect, it } from 'vitest'
import { failure, REPO, startTestBox } from '../support.ts'

describe('reactions', () => {
  it('a reaction is given once, listed, counted and taken back', async () => {
    const box = await startTestBox()
    const { rest } = box.as('sam')
    const issue = { ...REPO, issue_number: (await rest.issues.create({ ...REPO, title: 'x' })).data.number }
    const first = await rest.reactions.createForIssue({ ...issue, content: 'eyes' })
    expect(first.status).toBe(201)
    const again = await rest.reactions.createForIssue({ ...issue, content: 'eyes' })
    expect(again).toMatchObject({ status: 200, data: { id: first.data.id, user: { login: 'sam' } } })
    await box.as('rita').rest.reactions.createForIssue({ ...issue, content: 'eyes' })
    await rest.reactions.createForIssue({ ...issue, content: '+1' })
    expect((await rest.reactions.listForIssue({ ...issue, content: 'eyes' })).data).toHaveLength(2)
    expect((await rest.issues.get(issue)).data.reactions).toMatchObject({
      total_count: 3,
      eyes: 2,
      '+1': 1,
      heart: 0,
    })
    await rest.reactions.deleteForIssue({ ...issue, reaction_id: first.data.id })
    expect((await rest.reactions.listForIssue(issue)).data).toHaveLength(2)
  })

  it('comments have reactions too', async () => {
    const box = await startTestBox()
    const { rest } = box.as('rita')
    await rest.issues.create({ ...REPO, title: 'x' })
    const { data } = await rest.issues.createComment({ ...REPO, issue_number: 1, body: '/go' })
    const comment = { ...REPO, comment_id: data.id }
    const app = await box.installation({ issues: 'write' })
    const made = await app.rest.reactions.createForIssueComment({ ...comment, content: 'rocket' })
    expect(made.data).toMatchObject({ content: 'rocket', user: { login: 'tester[bot]' } })
    expect((await rest.reactions.listForIssueComment(comment)).data).toEqual([made.data])
    expect((await rest.issues.getComment(comment)).data.reactions).toMatchObject({ rocket: 1 })
    const mine = { ...comment, reaction_id: made.data.id }
    expect((await failure(rest.reactions.deleteForIssueComment(mine))).status).toBe(403)
    await app.rest.reactions.deleteForIssueComment(mine)
    expect((await failure(app.rest.reactions.deleteForIssueComment(mine))).status).toBe(404)
  })

  it('a reaction is refused if unknown, anonymous, locked out or without permission', async () => {
    const box = await startTestBox()
    const { rest } = box.as('wendy')
    await rest.issues.create({ ...REPO, title: 'x' })
    const issue = { ...REPO, issue_number: 1, content: 'heart' } as const
    const odd = box.as('wendy').request('POST /repos/{owner}/{repo}/issues/{issue_number}/reactions', {
      ...issue,
      content: 'tada' as 'heart',
    })
    expect((await failure(odd)).status).toBe(422)
    expect((await failure(box.client().rest.reactions.createForIssue(issue))).status).toBe(401)
    const reader = await box.installation({ issues: 'read' })
    expect((await failure(reader.rest.reactions.createForIssue(issue))).status).toBe(403)
    expect((await reader.rest.reactions.listForIssue({ ...REPO, issue_number: 1 })).data).toEqual([])
    await rest.issues.lock({ ...REPO, issue_number: 1 })
    expect((await failure(box.as('rita').rest.reactions.createForIssue(issue))).status).toBe(403)
    expect((await rest.reactions.createForIssue(issue)).status).toBe(201)
  })
})
