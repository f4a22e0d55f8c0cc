import { describe, expect, it } from 'vitest'
import { failure, REPO, startReceiver, startTestBox, type TestBox } from '../support.ts'

async function openIssue(box: TestBox) {
  const { data } = await box.as('rita').rest.issues.create({ ...REPO, title: 'it breaks' })
  return { ...REPO, issue_number: data.number }
}

describe('comments', () => {
  it('anyone who can read, and Apps with permission, can comment', async () => {
    const box = await startTestBox()
    const target = await openIssue(box)
    const said = await box.as('sam').rest.issues.createComment({ ...target, body: 'here too' })
    expect(said.data).toMatchObject({
      body: 'here too',
      user: { login: 'sam' },
      author_association: 'NONE',
      issue_url: `${box.apiUrl}/repos/acme/demo/issues/1`,
      html_url: `${box.url}/acme/demo/issues/1#issuecomment-1`,
      performed_via_github_app: null,
    })
    const app = await box.installation({ issues: 'write' })
    const bot = await app.rest.issues.createComment({ ...target, body: 'noted' })
    expect(bot.data).toMatchObject({
      user: { login: 'tester[bot]' },
      performed_via_github_app: { slug: 'tester' },
    })
    const one = { ...REPO, comment_id: said.data.id }
    expect((await box.client().rest.issues.getComment(one)).data).toEqual(said.data)
    expect((await box.as('rita').rest.issues.get(target)).data.comments).toBe(2)
  })

  it('a comment is refused if blank, too long, on no issue, or without permission', async () => {
    const box = await startTestBox()
    const target = await openIssue(box)
    const { issues } = box.as('rita').rest
    for (const body of [' \n', 'x'.repeat(65_537)]) {
      expect((await failure(issues.createComment({ ...target, body }))).status).toBe(422)
    }
    const nowhere = { ...target, issue_number: 7, body: 'x' }
    expect((await failure(issues.createComment(nowhere))).status).toBe(404)
    expect((await failure(issues.getComment({ ...REPO, comment_id: 7 }))).status).toBe(404)
    expect((await failure(box.client().rest.issues.createComment({ ...target, body: 'x' }))).status).toBe(401)
    for (const permissions of [{ issues: 'read' }, { pull_requests: 'write' }] as const) {
      const app = await box.installation(permissions)
      const refused = await failure(app.rest.issues.createComment({ ...target, body: 'x' }))
      expect(refused).toEqual({ status: 403, message: 'Resource not accessible by integration' })
    }
  })

  it("a comment's author or a writer edits and deletes it", async () => {
    const box = await startTestBox()
    const target = await openIssue(box)
    const { data } = await box.as('rita').rest.issues.createComment({ ...target, body: 'a' })
    const one = { ...REPO, comment_id: data.id }
    const edit = (login: string, body: string) => box.as(login).rest.issues.updateComment({ ...one, body })
    expect((await edit('rita', 'b')).data.body).toBe('b')
    expect((await edit('wendy', 'c')).data).toMatchObject({ body: 'c', user: { login: 'rita' } })
    for (const login of ['tariq', 'sam']) {
      expect((await failure(edit(login, 'd'))).status).toBe(403)
      expect((await failure(box.as(login).rest.issues.deleteComment(one))).status).toBe(403)
    }
    const app = await box.installation({ issues: 'write' })
    expect((await app.rest.issues.updateComment({ ...one, body: 'e' })).data.body).toBe('e')
    const reader = await box.installation({ issues: 'read' })
    expect((await failure(reader.rest.issues.updateComment({ ...one, body: 'f' }))).status).toBe(403)
    await box.as('rita').rest.issues.deleteComment(one)
    expect((await failure(box.as('rita').rest.issues.getComment(one))).status).toBe(404)
    expect((await box.as('rita').rest.issues.get(target)).data.comments).toBe(0)
  })

  it('comments are listed by issue and by repository, since a time and in order', async () => {
    let now = Date.parse('2026-01-01T00:00:00Z')
    const box = await startTestBox({ now: () => new Date(now) })
    const { issues } = box.as('rita').rest
    const [first, second] = [await openIssue(box), await openIssue(box)]
    for (const [target, body] of [
      [first, 'a'],
      [second, 'b'],
      [first, 'c'],
    ] as const) {
      now += 60_000
      await issues.createComment({ ...target, body })
    }
    now += 60_000
    await issues.updateComment({ ...REPO, comment_id: 1, body: 'A' })
    const bodies = (reply: { data: { body?: string }[] }) => reply.data.map((one) => one.body).join('')
    expect(bodies(await issues.listComments(first))).toBe('Ac')
    expect(bodies(await issues.listComments({ ...first, since: '2026-01-01T00:04:00Z' }))).toBe('A')
    expect(bodies(await issues.listCommentsForRepo(REPO))).toBe('Abc')
    expect(bodies(await issues.listCommentsForRepo({ ...REPO, sort: 'created' }))).toBe('cbA')
    expect(bodies(await issues.listCommentsForRepo({ ...REPO, sort: 'updated', direction: 'asc' }))).toBe(
      'bcA',
    )
    const page = await issues.listComments({ ...first, per_page: 1, page: 2 })
    expect(bodies(page)).toBe('c')
    expect(page.headers.link).toContain('rel="prev"')
  })

  it('an edited comment sends its earlier text, unless nothing changed', async () => {
    const receiver = await startReceiver()
    const box = await startTestBox({ webhookUrl: receiver.url })
    const target = await openIssue(box)
    const { issues } = box.as('wendy').rest
    const { data } = await issues.createComment({ ...target, body: '- [ ] go' })
    const one = { ...REPO, comment_id: data.id }
    await issues.updateComment({ ...one, body: '- [ ] go' })
    await issues.updateComment({ ...one, body: '- [x] go' })
    await issues.deleteComment(one)
    await box.settled()
    const told = receiver.received.filter((received) => received.event === 'issue_comment')
    expect(told.map((received) => received.payload.action)).toEqual(['created', 'edited', 'deleted'])
    expect(told[1]?.payload).toMatchObject({
      changes: { body: { from: '- [ ] go' } },
      comment: { id: data.id, body: '- [x] go' },
      issue: { number: 1, comments: 1 },
      sender: { login: 'wendy' },
    })
  })

  it('GraphQL says who edited a comment last, with an App under its plain name', async () => {
    const box = await startTestBox()
    const { rest } = box.as('wendy')
    await rest.issues.create({ ...REPO, title: 'asked' })
    const bot = await box.installation()
    const { data } = await bot.rest.issues.createComment({ ...REPO, issue_number: 1, body: 'one' })
    const query = `query($id: ID!) { node(id: $id) { ... on Comment { body lastEditedAt editor { __typename login } } } }`
    const read = () => box.as('rita').graphql(query, { id: data.node_id })
    expect(await read()).toEqual({ node: { body: 'one', lastEditedAt: null, editor: null } })
    const edit = (by: typeof rest, body: string) =>
      by.issues.updateComment({ ...REPO, comment_id: data.id, body })
    await edit(rest, 'two')
    expect(await read()).toMatchObject({
      node: { body: 'two', editor: { __typename: 'User', login: 'wendy' } },
    })
    await edit(bot.rest, 'three')
    expect(await read()).toMatchObject({ node: { editor: { __typename: 'Bot', login: 'tester' } } })
    await expect(box.as('rita').graphql(query, { id: 'IC_x' })).rejects.toThrow('Could not resolve to a node')
  })
})
