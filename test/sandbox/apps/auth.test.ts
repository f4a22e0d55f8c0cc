import { createSign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { failure, REPO, startTestBox, type TestBox } from '../support.ts'

function jwt(box: TestBox, claims: object, header: object = { alg: 'RS256', typ: 'JWT' }): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${part(header)}.${part(claims)}`
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(box.privateKey, 'base64url')}`
}

describe('who calls', () => {
  it('an App is known by its key, and forged, expired and too long-lived tokens are refused', async () => {
    const box = await startTestBox()
    const now = Math.floor(Date.now() / 1000)
    const id = box.apps[0]?.id ?? 0
    const get = (token: string) => box.client(token).rest.apps.getAuthenticated()
    const good = { iss: String(id), iat: now - 30, exp: now + 300 }
    expect((await get(jwt(box, good))).data?.id).toBe(id)
    expect((await get(jwt(box, { ...good, iss: box.apps[0]?.clientId }))).data?.slug).toBe('tester')
    const forged = `${jwt(box, good).slice(0, -20)}${'A'.repeat(20)}`
    expect((await failure(get(forged))).status).toBe(401)
    expect((await failure(get(jwt(box, { ...good, exp: now - 1 })))).message).toContain("'exp'")
    expect((await failure(get(jwt(box, { ...good, exp: now + 3600 })))).message).toContain(
      'too far in the future',
    )
    expect((await failure(get(jwt(box, good, { alg: 'none' })))).status).toBe(401)
    expect((await failure(get(jwt(box, { ...good, iss: '1' })))).status).toBe(401)
    expect((await failure(get('a.b.c'))).status).toBe(401)
  })

  it('unknown, expired and revoked tokens are refused', async () => {
    let offsetMs = 0
    const box = await startTestBox({ now: () => new Date(Date.now() + offsetMs) })
    expect(await failure(box.client('nope').rest.repos.get(REPO))).toEqual({
      status: 401,
      message: 'Bad credentials',
    })
    const client = await box.installation()
    await client.rest.repos.get(REPO)
    offsetMs = 3_601_000
    expect((await failure(client.rest.repos.get(REPO))).status).toBe(401)
    offsetMs = 0
    await client.rest.apps.revokeInstallationAccessToken()
    expect((await failure(client.rest.repos.get(REPO))).status).toBe(401)
  })

  it('a token is narrowed to permissions and repositories, never beyond the installation', async () => {
    const box = await startTestBox({ permissions: { contents: 'write', issues: 'read' } })
    const narrow = await box.installation({ contents: 'read' })
    const blob = { ...REPO, content: 'x' }
    expect(await failure(narrow.rest.git.createBlob(blob))).toEqual({
      status: 403,
      message: 'Resource not accessible by integration',
    })
    expect((await (await box.installation()).rest.git.createBlob(blob)).status).toBe(201)
    expect((await failure(box.installation({ issues: 'write' }))).status).toBe(422)
    const made = await box
      .app()
      .rest.apps.createInstallationAccessToken({ installation_id: 1, repositories: ['demo'] })
    expect(made.data.repositories?.map((repo) => repo.name)).toEqual(['demo'])
    const unknown = { installation_id: 1, repositories: ['other'] }
    expect((await failure(box.app().rest.apps.createInstallationAccessToken(unknown))).status).toBe(422)
  })

  it('installations are found, and their repositories listed', async () => {
    const box = await startTestBox({ private: true })
    const app = box.app()
    expect((await app.rest.apps.getRepoInstallation(REPO)).data.id).toBe(1)
    expect((await app.rest.apps.getOrgInstallation({ org: 'acme' })).data.app_slug).toBe('tester')
    expect((await app.rest.apps.getInstallation({ installation_id: 1 })).data.target_type).toBe(
      'Organization',
    )
    expect((await failure(app.rest.apps.getInstallation({ installation_id: 9 }))).status).toBe(404)
    const listed = await (await box.installation()).rest.apps.listReposAccessibleToInstallation()
    expect(listed.data.repositories.map((repo) => repo.full_name)).toEqual(['acme/demo'])
    expect((await box.client().rest.apps.getBySlug({ app_slug: 'tester' })).data?.name).toBe('tester')
  })

  it('an installation can be suspended and removed', async () => {
    const box = await startTestBox()
    const client = await box.installation()
    await box.app().rest.apps.suspendInstallation({ installation_id: 1 })
    expect((await failure(client.rest.repos.get(REPO))).status).toBe(403)
    await box.app().rest.apps.unsuspendInstallation({ installation_id: 1 })
    expect((await client.rest.repos.get(REPO)).status).toBe(200)
    await box.app().rest.apps.deleteInstallation({ installation_id: 1 })
    expect((await failure(client.rest.repos.get(REPO))).status).toBe(401)
  })
})

describe('what people may do', () => {
  it.each([
    ['olivia', 200, 201, 200],
    ['wendy', 200, 201, 403],
    ['tariq', 200, 403, 403],
    ['rita', 200, 403, 403],
    ['sam', 404, 404, 404],
  ])(
    '%s reads %i, writes %i, administers %i in a private repository',
    async (login, read, write, administer) => {
      const box = await startTestBox({ private: true })
      const client = box.as(login)
      const status = async (call: Promise<{ status: number }>): Promise<number> =>
        await call.then(
          (answer) => answer.status,
          (error: { status: number }) => error.status,
        )
      expect(await status(client.rest.repos.get(REPO))).toBe(read)
      expect(await status(client.rest.git.createBlob({ ...REPO, content: 'x' }))).toBe(write)
      expect(await status(client.rest.repos.update({ ...REPO, description: 'd' }))).toBe(administer)
    },
  )

  it('strangers and anonymous callers can only read a public repository', async () => {
    const box = await startTestBox()
    expect((await box.client().rest.repos.get(REPO)).data.permissions).toBeUndefined()
    expect((await failure(box.client().rest.git.createBlob({ ...REPO, content: 'x' }))).status).toBe(401)
    expect((await failure(box.as('sam').rest.git.createBlob({ ...REPO, content: 'x' }))).status).toBe(403)
    expect((await box.as('sam').rest.users.getAuthenticated()).data.login).toBe('sam')
  })
})
