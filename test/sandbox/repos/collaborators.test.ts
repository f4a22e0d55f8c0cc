import { describe, expect, it } from 'vitest'
import { failure, REPO, startReceiver, startTestBox } from '../support.ts'

describe('collaborators', () => {
  it('a collaborator has a permission and a role, which writers and Apps may read', async () => {
    const box = await startTestBox()
    const app = await box.installation({ metadata: 'read' })
    const ask = async (username: string) => {
      const { data } = await app.rest.repos.getCollaboratorPermissionLevel({ ...REPO, username })
      return [data.permission, data.role_name, data.user?.permissions?.push]
    }
    expect(await ask('olivia')).toEqual(['admin', 'admin', true])
    expect(await ask('wendy')).toEqual(['write', 'write', true])
    expect(await ask('tariq')).toEqual(['read', 'triage', false])
    expect(await ask('rita')).toEqual(['read', 'read', false])
    expect(await ask('sam')).toEqual(['read', 'read', false])
    for (const username of ['nobody', 'tester[bot]', 'acme']) {
      const asked = app.rest.repos.getCollaboratorPermissionLevel({ ...REPO, username })
      expect(await failure(asked)).toEqual({ status: 404, message: `${username} is not a user` })
    }
    const byReader = box.as('rita').rest.repos
    const wendys = { ...REPO, username: 'wendy' }
    expect((await failure(byReader.getCollaboratorPermissionLevel(wendys))).status).toBe(403)
    expect((await failure(byReader.listCollaborators(REPO))).status).toBe(403)
  })

  it('a private repository has no permission for strangers', async () => {
    const box = await startTestBox({ private: true })
    const asked = await box
      .as('wendy')
      .rest.repos.getCollaboratorPermissionLevel({ ...REPO, username: 'sam' })
    expect(asked.data).toMatchObject({ permission: 'none', role_name: 'none' })
  })

  it('collaborators are listed by permission and can be checked one by one', async () => {
    const box = await startTestBox()
    const { repos } = box.as('wendy').rest
    const all = (await repos.listCollaborators(REPO)).data
    expect(all.map((one) => [one.login, one.role_name])).toEqual([
      ['olivia', 'admin'],
      ['wendy', 'write'],
      ['tariq', 'triage'],
      ['rita', 'read'],
    ])
    const pushers = (await repos.listCollaborators({ ...REPO, permission: 'push' })).data
    expect(pushers.map((one) => one.login)).toEqual(['olivia', 'wendy'])
    expect((await repos.checkCollaborator({ ...REPO, username: 'Tariq' })).status).toBe(204)
    expect((await failure(repos.checkCollaborator({ ...REPO, username: 'sam' }))).status).toBe(404)
  })

  it('admins add, change and remove collaborators, who may also leave', async () => {
    const receiver = await startReceiver()
    const box = await startTestBox()
    const { repos } = box.as('olivia').rest
    await repos.createWebhook({ ...REPO, config: { url: receiver.url }, events: ['member'] })
    const sam = { ...REPO, username: 'sam' }
    expect((await failure(box.as('wendy').rest.repos.addCollaborator(sam))).status).toBe(403)
    expect(
      (await failure((await box.installation({ contents: 'write' })).rest.repos.addCollaborator(sam))).status,
    ).toBe(403)
    expect((await failure(repos.addCollaborator({ ...REPO, username: 'nobody' }))).status).toBe(404)
    expect((await failure(repos.addCollaborator({ ...sam, permission: 'king' }))).status).toBe(422)
    const roleOfSam = async () => (await repos.getCollaboratorPermissionLevel(sam)).data.role_name
    await repos.addCollaborator({ ...sam, permission: 'triage' })
    expect(await roleOfSam()).toBe('triage')
    await repos.addCollaborator({ ...sam, permission: 'push' })
    expect(await roleOfSam()).toBe('write')
    await repos.removeCollaborator(sam)
    await repos.removeCollaborator(sam)
    expect(await roleOfSam()).toBe('read')
    expect(
      (await failure(box.as('wendy').rest.repos.removeCollaborator({ ...REPO, username: 'rita' }))).status,
    ).toBe(403)
    await box.as('rita').rest.repos.removeCollaborator({ ...REPO, username: 'rita' })
    await box.settled()
    const told = receiver.received.filter((one) => one.event === 'member')
    expect(told.map((one) => one.payload.action)).toEqual(['added', 'edited', 'removed', 'removed'])
    expect(told[0]?.payload).toMatchObject({
      member: { login: 'sam' },
      changes: { role_name: { to: 'triage' } },
    })
  })
})

describe('users and organisations', () => {
  it('users and organisations are found by name and by number', async () => {
    const box = await startTestBox()
    const { users, orgs } = box.client().rest
    const { data } = await users.getByUsername({ username: 'Wendy' })
    expect(data).toMatchObject({ login: 'wendy', type: 'User', name: 'Wendy' })
    expect((await users.getById({ account_id: data.id })).data).toEqual(data)
    expect((await users.getByUsername({ username: 'tester[bot]' })).data.type).toBe('Bot')
    expect((await box.as('rita').rest.users.getAuthenticated()).data.login).toBe('rita')
    expect((await orgs.get({ org: 'acme' })).data).toMatchObject({ login: 'acme', public_repos: 1 })
    expect((await failure(orgs.get({ org: 'wendy' }))).status).toBe(404)
    expect((await failure(users.getById({ account_id: 1 }))).status).toBe(404)
  })
})
