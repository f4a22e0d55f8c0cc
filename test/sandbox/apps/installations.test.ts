import { describe, expect, it } from 'vitest'
import { failure, REPO, startReceiver, startTestBox } from '../support.ts'

describe('the selection of an installation', () => {
  it("an admin changes an installation's repositories, the App is told, and access follows", async () => {
    const receiver = await startReceiver()
    const box = await startTestBox({ private: true, webhookUrl: receiver.url })
    const client = await box.installation()
    const admin = box.as('olivia')
    const { data } = await admin.rest.apps.listInstallationsForAuthenticatedUser()
    const target = { installation_id: data.installations[0]?.id ?? 0, repository_id: 1 }
    const users = admin.rest.apps
    expect(
      (await failure(box.as('wendy').rest.apps.removeRepoFromInstallationForAuthenticatedUser(target)))
        .status,
    ).toBe(403)
    await users.removeRepoFromInstallationForAuthenticatedUser(target)
    expect((await failure(client.rest.repos.get(REPO))).status).toBe(404)
    await users.addRepoToInstallationForAuthenticatedUser(target)
    expect((await client.rest.repos.get(REPO)).status).toBe(200)
    await box.settled()
    expect(receiver.received.map(({ event, payload }) => [event, payload.action])).toEqual([
      ['installation', 'created'],
      ['installation_repositories', 'removed'],
      ['installation_repositories', 'added'],
    ])
    expect(
      (await failure(users.addRepoToInstallationForAuthenticatedUser({ ...target, repository_id: 9 })))
        .status,
    ).toBe(404)
  })
})
