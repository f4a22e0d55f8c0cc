import { describe, expect, it } from 'vitest'
import { failure, REPO, startTestBox, type TestBox } from '../support.ts'

const TARGET = { ...REPO, issue_number: 1 }

async function live(box: TestBox): Promise<void> {
  const { issues } = box.as('wendy').rest
  await issues.create({ ...REPO, title: 'one', labels: ['bug'] })
  await issues.createComment({ ...TARGET, body: 'hm' })
  await issues.addAssignees({ ...TARGET, assignees: ['rita'] })
  await issues.update({ ...TARGET, title: 'two' })
  await issues.lock({ ...TARGET, lock_reason: 'resolved' })
  await issues.update({ ...TARGET, state: 'closed', state_reason: 'not_planned' })
}

describe('events of an issue', () => {
  it("an issue's events are kept in order, each with its details", async () => {
    const box = await startTestBox()
    await live(box)
    const { issues } = box.as('rita').rest
    const events = (await issues.listEvents(TARGET)).data
    expect(events).toMatchObject([
      { event: 'labeled', label: { name: 'bug' }, actor: { login: 'wendy' } },
      { event: 'assigned', assignee: { login: 'rita' }, assigner: { login: 'wendy' } },
      { event: 'renamed', rename: { from: 'one', to: 'two' } },
      { event: 'locked', lock_reason: 'resolved' },
      { event: 'closed', state_reason: 'not_planned' },
    ])
    const newest = (await issues.listEventsForRepo(REPO)).data
    expect(newest.map((one) => one.event)).toEqual(['closed', 'locked', 'renamed', 'assigned', 'labeled'])
    const one = await issues.getEvent({ ...REPO, event_id: events[0]?.id ?? 0 })
    expect(one.data).toMatchObject({ event: 'labeled', issue: { number: 1, title: 'two' } })
    expect((await failure(issues.getEvent({ ...REPO, event_id: 99 }))).status).toBe(404)
    const blind = await box.installation({ contents: 'read' })
    expect((await failure(blind.rest.issues.listEventsForTimeline(TARGET))).status).toBe(403)
  })

  it('the timeline mixes events and comments', async () => {
    let now = Date.parse('2026-01-01T00:00:00Z')
    const box = await startTestBox({
      now: () => {
        now += 1000
        return new Date(now)
      },
    })
    await live(box)
    const told = (await box.as('rita').rest.issues.listEventsForTimeline(TARGET)).data
    expect(told.map((one) => one.event)).toEqual([
      'labeled',
      'commented',
      'assigned',
      'renamed',
      'locked',
      'closed',
    ])
  })
})

describe('deletion of an issue', () => {
  const mutation = 'mutation($id: ID!) { deleteIssue(input: { issueId: $id }) { repository { name } } }'

  it('only admins delete an issue, by GraphQL, with its comments and events', async () => {
    const box = await startTestBox()
    await live(box)
    const { issues } = box.as('rita').rest
    const id = (await issues.get(TARGET)).data.node_id
    await expect(box.as('wendy').graphql(mutation, { id })).rejects.toThrow('Must have admin rights')
    expect(await box.as('olivia').graphql(mutation, { id })).toEqual({
      deleteIssue: { repository: { name: 'demo' } },
    })
    expect((await failure(issues.get(TARGET))).status).toBe(410)
    expect((await issues.listCommentsForRepo(REPO)).data).toEqual([])
    expect((await issues.listEventsForRepo(REPO)).data).toEqual([])
    expect((await issues.create({ ...REPO, title: 'next' })).data.number).toBe(2)
    await expect(box.as('olivia').graphql(mutation, { id })).rejects.toThrow('Could not resolve')
  })
})

describe('search', () => {
  it('search finds issues by words and qualifiers in readable repositories', async () => {
    const box = await startTestBox({ private: true })
    await live(box)
    await box.as('rita').rest.issues.create({ ...REPO, title: 'Slow start', body: 'after the update' })
    const find = async (q: string, login = 'rita') => {
      const { data } = await box.as(login).rest.search.issuesAndPullRequests({ q, advanced_search: 'true' })
      return [data.total_count, ...data.items.map((issue) => issue.number)]
    }
    expect(await find('repo:acme/demo is:issue')).toEqual([2, 2, 1])
    expect(await find('slow UPDATE')).toEqual([1, 2])
    expect(await find('is:open')).toEqual([1, 2])
    expect(await find('state:closed label:"bug" author:wendy assignee:rita')).toEqual([1, 1])
    expect(await find('-label:bug org:acme')).toEqual([1, 2])
    expect(await find('is:pr')).toEqual([0])
    expect(await find('slow', 'sam')).toEqual([0])
    expect((await failure(find('colour:red'))).status).toBe(422)
  })
})
