import { describe, expect, it } from 'vitest'
import { failure, REPO, startReceiver, startTestBox, type TestBox } from '../support.ts'

const BUG = { ...REPO, name: 'bug', color: 'D73A4A', description: 'Something is wrong' }

async function openIssue(box: TestBox) {
  const { data } = await box.as('rita').rest.issues.create({ ...REPO, title: 'it breaks' })
  return { ...REPO, issue_number: data.number }
}

describe('labels of a repository', () => {
  it('writers create, change and delete labels, and each change sends an event', async () => {
    const receiver = await startReceiver()
    const box = await startTestBox({ webhookUrl: receiver.url })
    await box.settled()
    receiver.received.length = 0
    const { issues } = box.as('wendy').rest
    const made = await issues.createLabel(BUG)
    expect(made.data).toMatchObject({ name: 'bug', color: 'd73a4a', description: 'Something is wrong' })
    expect((await box.client().rest.issues.getLabel({ ...REPO, name: 'BUG' })).data).toEqual(made.data)
    const target = await openIssue(box)
    await issues.addLabels({ ...target, labels: ['bug'] })
    await issues.updateLabel({ ...REPO, name: 'bug', new_name: 'fault: hard', color: '000000' })
    expect((await issues.get(target)).data.labels).toMatchObject([{ name: 'fault: hard', color: '000000' }])
    await issues.deleteLabel({ ...REPO, name: 'fault: hard' })
    expect((await issues.get(target)).data.labels).toEqual([])
    expect((await issues.listLabelsForRepo(REPO)).data).toEqual([])
    await box.settled()
    const told = receiver.received.filter((one) => one.event === 'label')
    expect(told.map((one) => one.payload.action)).toEqual(['created', 'edited', 'deleted'])
    expect(told[1]?.payload.changes).toEqual({ name: { from: 'bug' }, color: { from: 'd73a4a' } })
  })

  it('a label needs a free name of limited length and a colour of six digits', async () => {
    const box = await startTestBox()
    const { issues } = box.as('wendy').rest
    await issues.createLabel(BUG)
    await issues.createLabel({ ...REPO, name: 'other' })
    for (const bad of [
      { name: 'Bug' },
      { name: ' ' },
      { name: 'x'.repeat(51) },
      { name: 'a', color: '#fff' },
    ]) {
      expect((await failure(issues.createLabel({ ...REPO, ...bad }))).status).toBe(422)
    }
    const taken = issues.updateLabel({ ...REPO, name: 'other', new_name: 'BUG' })
    expect(await failure(taken)).toMatchObject({
      status: 422,
      message: expect.stringContaining('already_exists'),
    })
    expect((await failure(issues.deleteLabel({ ...REPO, name: 'none' }))).status).toBe(404)
  })

  it('labels are refused to everyone below write and to Apps without permission', async () => {
    const box = await startTestBox()
    for (const login of ['tariq', 'rita', 'sam']) {
      expect((await failure(box.as(login).rest.issues.createLabel(BUG))).status).toBe(403)
    }
    const reader = await box.installation({ issues: 'read', contents: 'write' })
    expect((await failure(reader.rest.issues.createLabel(BUG))).status).toBe(403)
    const writer = await box.installation({ pull_requests: 'write' })
    expect((await writer.rest.issues.createLabel(BUG)).status).toBe(201)
    expect((await reader.rest.issues.listLabelsForRepo(REPO)).data).toHaveLength(1)
  })
})

describe('labels of an issue', () => {
  it("triagers add, set and remove an issue's labels", async () => {
    const box = await startTestBox()
    for (const name of ['bug', 'ui', 'help']) await box.as('wendy').rest.issues.createLabel({ ...REPO, name })
    const target = await openIssue(box)
    const { issues } = box.as('tariq').rest
    const names = (reply: { data: { name: string }[] }) => reply.data.map((label) => label.name)
    expect(names(await issues.addLabels({ ...target, labels: ['bug'] }))).toEqual(['bug'])
    expect(names(await issues.addLabels({ ...target, labels: ['UI', 'bug'] }))).toEqual(['bug', 'ui'])
    expect(names(await issues.setLabels({ ...target, labels: ['help', 'ui'] }))).toEqual(['help', 'ui'])
    expect(names(await issues.removeLabel({ ...target, name: 'help' }))).toEqual(['ui'])
    expect((await failure(issues.removeLabel({ ...target, name: 'help' }))).status).toBe(404)
    expect(names(await issues.setLabels({ ...target, labels: [] }))).toEqual([])
    await issues.addLabels({ ...target, labels: ['bug', 'ui'] })
    await issues.removeAllLabels(target)
    expect(names(await issues.listLabelsOnIssue(target))).toEqual([])
  })

  it('an unknown label is created when a writer uses it, and refused to triagers', async () => {
    const box = await startTestBox()
    const target = await openIssue(box)
    const add = (login: string, name: string) =>
      box.as(login).rest.issues.addLabels({ ...target, labels: [name] })
    expect((await failure(add('tariq', 'new'))).status).toBe(422)
    expect((await failure(add('rita', 'new'))).status).toBe(403)
    expect((await add('wendy', 'new')).data).toMatchObject([{ name: 'new', color: 'ededed' }])
    const app = await box.installation({ issues: 'write' })
    expect((await app.rest.issues.addLabels({ ...target, labels: ['newer'] })).data).toHaveLength(2)
    const blind = await box.installation({ pull_requests: 'write' })
    expect((await failure(blind.rest.issues.addLabels({ ...target, labels: ['new'] }))).status).toBe(403)
  })

  it("labels on a reader's issue are dropped silently, as unknown ones are for triagers", async () => {
    const box = await startTestBox()
    await box.as('wendy').rest.issues.createLabel(BUG)
    const create = async (login: string) => {
      const labels = ['bug', { name: 'new' }]
      const made = await box
        .as(login)
        .rest.issues.create({ ...REPO, title: 'x', labels, assignees: ['rita'] })
      const { data } = made
      return [
        data.labels.map((label) => (typeof label === 'string' ? label : label.name)),
        data.assignees?.length,
      ]
    }
    expect(await create('rita')).toEqual([[], 0])
    expect(await create('tariq')).toEqual([['bug'], 1])
    expect(await create('wendy')).toEqual([['bug', 'new'], 1])
    const own = await box.as('rita').rest.issues.update({ ...REPO, issue_number: 1, labels: ['bug'] })
    expect(own.data.labels).toEqual([])
  })
})

describe('assignees', () => {
  it('triagers assign and unassign collaborators', async () => {
    const box = await startTestBox()
    const target = await openIssue(box)
    const { issues } = box.as('tariq').rest
    const logins = (reply: { data: { assignees?: { login: string }[] | null } }) =>
      reply.data.assignees?.map((user) => user.login)
    const assignees = ['Wendy', 'rita', 'sam']
    expect(logins(await issues.addAssignees({ ...target, assignees }))).toEqual(['wendy', 'rita'])
    expect(logins(await issues.removeAssignees({ ...target, assignees: ['rita'] }))).toEqual(['wendy'])
    expect((await failure(box.as('rita').rest.issues.addAssignees({ ...target, assignees }))).status).toBe(
      403,
    )
    expect((await issues.listAssignees(REPO)).data).toHaveLength(4)
    expect((await issues.checkUserCanBeAssigned({ ...REPO, assignee: 'rita' })).status).toBe(204)
    expect((await failure(issues.checkUserCanBeAssigned({ ...REPO, assignee: 'sam' }))).status).toBe(404)
  })
})
