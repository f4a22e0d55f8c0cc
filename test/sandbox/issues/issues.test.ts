import { describe, expect, it } from 'vitest'
import { failure, REPO, startReceiver, startTestBox, type TestBox } from '../support.ts'

async function open(box: TestBox, title: string, login = 'rita'): Promise<number> {
  return (await box.as(login).rest.issues.create({ ...REPO, title, body: `${title}?` })).data.number
}

describe('issues', () => {
  it('anyone who can read opens issues, which are numbered in sequence and counted', async () => {
    const box = await startTestBox()
    const made = await box.as('rita').rest.issues.create({ ...REPO, title: 'It breaks', body: 'Often.' })
    expect(made.data).toMatchObject({
      number: 1,
      state: 'open',
      state_reason: null,
      title: 'It breaks',
      body: 'Often.',
      user: { login: 'rita' },
      author_association: 'COLLABORATOR',
      performed_via_github_app: null,
      closed_by: null,
    })
    const strangers = await box.as('sam').rest.issues.create({ ...REPO, title: 'Me too' })
    expect(strangers.data).toMatchObject({ number: 2, author_association: 'NONE', body: null })
    const app = await (await box.installation({ issues: 'write' })).rest.issues.create({
      ...REPO,
      title: 'By an App',
    })
    expect(app.data).toMatchObject({
      user: { login: 'tester[bot]', type: 'Bot' },
      performed_via_github_app: { slug: 'tester' },
    })
    const read = await box.client().rest.issues.get({ ...REPO, issue_number: 1 })
    expect(read.data).toEqual(made.data)
    expect((await box.client().rest.repos.get(REPO)).data.open_issues_count).toBe(3)
  })

  it('an issue is refused to anonymous callers, without a title, without permission, and where issues are disabled', async () => {
    const box = await startTestBox()
    const draft = { ...REPO, title: 'x' }
    expect((await failure(box.client().rest.issues.create(draft))).status).toBe(401)
    expect(await failure(box.as('rita').rest.issues.create({ ...REPO, title: ' ' }))).toMatchObject({
      status: 422,
      message: expect.stringContaining('missing_field'),
    })
    const long = { ...draft, body: 'x'.repeat(65_537) }
    expect((await failure(box.as('rita').rest.issues.create(long))).status).toBe(422)
    for (const permissions of [{ issues: 'read' }, { pull_requests: 'write' }] as const) {
      const app = await box.installation(permissions)
      expect((await failure(app.rest.issues.create(draft))).status).toBe(403)
    }
    await open(box, 'before')
    const blind = await box.installation({ pull_requests: 'write' })
    expect((await failure(blind.rest.issues.get({ ...REPO, issue_number: 1 }))).status).toBe(403)
    expect((await failure(box.as('rita').rest.issues.get({ ...REPO, issue_number: 9 }))).status).toBe(404)
    await box.as('olivia').rest.repos.update({ ...REPO, has_issues: false })
    expect((await failure(box.as('rita').rest.issues.create(draft))).status).toBe(410)
    expect((await failure(box.as('rita').rest.issues.get({ ...REPO, issue_number: 1 }))).status).toBe(410)
    expect((await box.as('rita').rest.issues.listForRepo(REPO)).data).toEqual([])
  })

  it('issues of a private repository do not exist for strangers', async () => {
    const box = await startTestBox({ private: true })
    await open(box, 'secret')
    expect((await failure(box.as('sam').rest.issues.get({ ...REPO, issue_number: 1 }))).status).toBe(404)
    expect((await failure(box.as('sam').rest.issues.create({ ...REPO, title: 'x' }))).status).toBe(404)
  })

  it('issues are listed by state, label, creator, assignee and time, in the requested order', async () => {
    let now = Date.parse('2026-01-01T00:00:00Z')
    const box = await startTestBox({ now: () => new Date(now) })
    const wendy = box.as('wendy').rest.issues
    for (const [title, login] of [
      ['a', 'rita'],
      ['b', 'wendy'],
      ['c', 'rita'],
    ] as const) {
      now += 60_000
      await open(box, title, login)
    }
    now += 60_000
    await wendy.update({ ...REPO, issue_number: 1, labels: ['Bug', 'ui'], assignees: ['tariq'] })
    await wendy.update({ ...REPO, issue_number: 3, state: 'closed' })
    const titles = async (query: Parameters<typeof wendy.listForRepo>[0] | object) =>
      (await wendy.listForRepo({ ...REPO, ...query })).data.map((issue) => issue.title).join('')
    expect(await titles({})).toBe('ba')
    expect(await titles({ state: 'all', direction: 'asc' })).toBe('abc')
    expect(await titles({ state: 'closed' })).toBe('c')
    expect(await titles({ labels: 'bug,UI' })).toBe('a')
    expect(await titles({ labels: 'bug,other' })).toBe('')
    expect(await titles({ state: 'all', creator: 'Rita' })).toBe('ca')
    expect(await titles({ assignee: 'tariq' })).toBe('a')
    expect(await titles({ assignee: 'none' })).toBe('b')
    expect(await titles({ sort: 'updated' })).toBe('ab')
    expect(await titles({ state: 'all', since: '2026-01-01T00:04:00Z' })).toBe('ca')
    const page = await wendy.listForRepo({ ...REPO, state: 'all', per_page: 2 })
    expect(page.data).toHaveLength(2)
    expect(page.headers.link).toContain('rel="next"')
    expect((await failure(wendy.listForRepo({ ...REPO, since: 'yesterday' }))).status).toBe(422)
  })

  it('authors and writers edit an issue, triagers can close it, and nobody else can', async () => {
    const box = await startTestBox()
    const target = { ...REPO, issue_number: await open(box, 'mine') }
    const update = (login: string, changes: object) =>
      box.as(login).rest.issues.update({ ...target, ...changes })
    expect((await update('rita', { title: 'ours', body: null })).data).toMatchObject({
      title: 'ours',
      body: null,
    })
    expect((await update('wendy', { title: 'theirs' })).data.title).toBe('theirs')
    expect((await failure(update('tariq', { title: 'his' }))).status).toBe(403)
    expect((await failure(update('sam', { state: 'closed' }))).status).toBe(403)
    const closed = await update('tariq', { state: 'closed', state_reason: 'not_planned' })
    expect(closed.data).toMatchObject({
      state: 'closed',
      state_reason: 'not_planned',
      closed_by: { login: 'tariq' },
      closed_at: expect.any(String),
    })
    expect((await failure(update('rita', { state: 'open' }))).status).toBe(403)
    expect((await update('tariq', { state_reason: 'duplicate' })).data.state_reason).toBe('duplicate')
    expect((await update('tariq', { state: 'open' })).data).toMatchObject({
      state: 'open',
      state_reason: 'reopened',
      closed_at: null,
      closed_by: null,
    })
    expect((await update('rita', { state: 'closed' })).data.state_reason).toBe('completed')
    expect((await box.as('rita').rest.repos.get(REPO)).data.open_issues_count).toBe(0)
    expect((await update('rita', { state: 'open' })).data.state).toBe('open')
    expect((await failure(update('rita', { state: 'ajar' }))).status).toBe(422)
  })

  it('a locked issue takes comments from writers only', async () => {
    const box = await startTestBox()
    const target = { ...REPO, issue_number: await open(box, 'heated') }
    expect((await failure(box.as('tariq').rest.issues.lock(target))).status).toBe(403)
    await box.as('wendy').rest.issues.lock({ ...target, lock_reason: 'too heated' })
    expect((await box.as('rita').rest.issues.get(target)).data).toMatchObject({
      locked: true,
      active_lock_reason: 'too heated',
    })
    const say = (login: string) => box.as(login).rest.issues.createComment({ ...target, body: 'but' })
    expect((await failure(say('rita'))).status).toBe(403)
    expect((await say('wendy')).status).toBe(201)
    await box.as('wendy').rest.issues.unlock(target)
    expect((await say('rita')).status).toBe(201)
  })

  it('an issue sends an event for each change', async () => {
    const receiver = await startReceiver()
    const box = await startTestBox({ webhookUrl: receiver.url })
    await box.settled()
    receiver.received.length = 0
    const wendy = box.as('wendy').rest.issues
    await wendy.create({ ...REPO, title: 'one', body: 'first', labels: ['bug'], assignees: ['rita'] })
    const target = { ...REPO, issue_number: 1 }
    await wendy.update({ ...target, title: 'two', body: 'second' })
    await wendy.update({ ...target, labels: [], assignees: [] })
    await wendy.update({ ...target, state: 'closed' })
    await wendy.update({ ...target, state: 'open' })
    await wendy.lock(target)
    await wendy.unlock(target)
    await box.settled()
    expect(receiver.received.map((one) => `${one.event}.${one.payload.action}`)).toEqual([
      'label.created',
      'issues.opened',
      'issues.labeled',
      'issues.assigned',
      'issues.edited',
      'issues.unlabeled',
      'issues.unassigned',
      'issues.closed',
      'issues.reopened',
      'issues.locked',
      'issues.unlocked',
    ])
    expect(receiver.received[4]?.payload).toMatchObject({
      changes: { title: { from: 'one' }, body: { from: 'first' } },
      issue: { number: 1, title: 'two', body: 'second' },
      sender: { login: 'wendy' },
    })
    expect(receiver.received[2]?.payload).toMatchObject({ label: { name: 'bug', color: 'ededed' } })
  })

  it('GraphQL reads issues', async () => {
    const box = await startTestBox()
    await open(box, 'asked')
    const query = `query($n: Int!) { repository(owner: "acme", name: "demo") { issue(number: $n) { number title state } } }`
    expect(await box.as('rita').graphql(query, { n: 1 })).toEqual({
      repository: { issue: { number: 1, title: 'asked', state: 'OPEN' } },
    })
    const edits = `query { repository(owner: "acme", name: "demo") { issue(number: 1) { lastEditedAt editor { login } } } }`
    expect(await box.as('rita').graphql(edits)).toEqual({
      repository: { issue: { lastEditedAt: null, editor: null } },
    })
    await box.as('wendy').rest.issues.update({ ...REPO, issue_number: 1, body: 'another' })
    expect(await box.as('rita').graphql(edits)).toEqual({
      repository: { issue: { lastEditedAt: expect.any(String), editor: { login: 'wendy' } } },
    })
    await expect(box.as('rita').graphql(query, { n: 2 })).rejects.toThrow('Could not resolve to an Issue')
  })
})
