import { describe, expect, it } from 'vitest'
import { NO_FAULTS } from '../../src/sandbox/settings.ts'
import { failure, REPO, startReceiver, startTestBox } from './support.ts'

const BLOB = { ...REPO, content: 'x' }

describe('requests', () => {
  it("the server explains a bad request in GitHub's words", async () => {
    const box = await startTestBox()
    const client = box.as('wendy')
    const url = `${box.apiUrl}/repos/acme/demo/git/blobs`
    const headers = { authorization: `Bearer ${box.token('wendy')}` }
    const broken = await fetch(url, { method: 'POST', headers, body: '{' })
    expect([broken.status, await broken.json()]).toMatchObject([400, { message: 'Problems parsing JSON' }])
    const wrong = await fetch(url, { method: 'POST', headers, body: '{"content": 1}' })
    expect(await wrong.json()).toMatchObject({
      message: expect.stringContaining('Invalid request.'),
      documentation_url: 'https://docs.github.com/rest/git/blobs#create-a-blob',
      status: '422',
    })
    expect((await failure(client.request('GET /nowhere'))).status).toBe(404)
    expect((await failure(client.request('GET /repos/acme/none'))).status).toBe(404)
    expect((await failure(client.request('GET /app/hook/deliveries/abc'))).status).toBe(401)
  })

  it('an unchanged resource is answered with 304 and costs no rate limit', async () => {
    const box = await startTestBox()
    const client = box.as('wendy')
    const first = await client.rest.repos.get(REPO)
    const headers = { 'if-none-match': first.headers.etag ?? '' }
    const same = await failure(client.rest.repos.get({ ...REPO, headers }))
    expect(same.status).toBe(304)
    const used = (await client.rest.rateLimit.get()).data.resources.core.used
    expect(used).toBe(1)
    await box.as('olivia').rest.repos.update({ ...REPO, description: 'other' })
    expect((await client.rest.repos.get({ ...REPO, headers })).status).toBe(200)
  })

  it('the primary limit refuses further requests until the hour is over', async () => {
    let offsetMs = 0
    const box = await startTestBox({
      settings: { primaryPerHour: 2 },
      now: () => new Date(Date.now() + offsetMs),
    })
    const client = box.as('wendy')
    await client.rest.repos.get(REPO)
    const last = await client.rest.repos.get(REPO)
    expect(last.headers['x-ratelimit-remaining']).toBe('0')
    expect((await failure(client.rest.repos.get(REPO))).message).toContain('API rate limit exceeded')
    expect((await box.as('rita').rest.repos.get(REPO)).status).toBe(200)
    offsetMs = 3_601_000
    expect((await client.rest.repos.get(REPO)).status).toBe(200)
  })

  it('the secondary limit refuses further content with retry-after', async () => {
    const secondary = { pointsPerMinute: 900, contentPerMinute: 2, contentPerHour: 500, concurrent: 100 }
    const box = await startTestBox({ settings: { secondary } })
    const client = box.as('wendy')
    await client.rest.git.createBlob(BLOB)
    await client.rest.git.createBlob(BLOB)
    const refused: unknown = await client.rest.git.createBlob(BLOB).catch((error: unknown) => error)
    expect(refused).toMatchObject({
      status: 403,
      response: { headers: { 'retry-after': expect.anything() } },
    })
    expect((await client.rest.repos.get(REPO)).status).toBe(200)
  })
})

describe('a closing sandbox', () => {
  it('a closing sandbox finishes every request, even for clients that have hung up', async () => {
    const box = await startTestBox()
    await box.as('wendy').rest.repos.listCommits(REPO)
    const asked = Array.from({ length: 20 }, () => box.as('wendy').rest.repos.listCommits(REPO))
    const answers = Promise.allSettled(asked)
    await asked[0]
    await box.close()
    await answers
    expect(box.deviations).toEqual([])
  })
})

describe('faults', () => {
  it('a fault fails a request before its effect or after it', async () => {
    const box = await startTestBox()
    const client = box.as('wendy')
    const file = { ...REPO, path: 'f', message: 'm', content: 'eA==' }
    box.settings.faults = { ...NO_FAULTS, failBefore: 1 }
    expect((await failure(client.rest.repos.createOrUpdateFileContents(file))).status).toBe(502)
    box.settings.faults = NO_FAULTS
    expect((await failure(client.rest.repos.getContent({ ...REPO, path: 'f' }))).status).toBe(404)
    box.settings.faults = { ...NO_FAULTS, failAfter: 1 }
    expect((await failure(client.rest.repos.createOrUpdateFileContents(file))).status).toBe(502)
    box.settings.faults = { ...NO_FAULTS, squeeze: 1 }
    expect((await failure(client.rest.repos.get(REPO))).message).toContain('secondary rate limit')
    box.settings.faults = NO_FAULTS
    expect((await client.rest.repos.getContent({ ...REPO, path: 'f' })).status).toBe(200)
  })

  it('the same seed gives the same faults', async () => {
    const outcomes = async (): Promise<number[]> => {
      const box = await startTestBox({ settings: { faults: { ...NO_FAULTS, seed: 7, failBefore: 0.5 } } })
      const statuses: number[] = []
      for (let index = 0; index < 12; index++) {
        statuses.push((await fetch(`${box.apiUrl}/repos/acme/demo`)).status)
      }
      return statuses
    }
    const [one, two] = [await outcomes(), await outcomes()]
    expect(one).toEqual(two)
    expect(new Set(one)).toEqual(new Set([200, 502]))
  })

  it('a stale-read fault shows the state before the write', async () => {
    const box = await startTestBox({
      settings: { faults: { ...NO_FAULTS, staleRead: 1, staleForMs: 60_000 } },
    })
    const client = box.as('olivia')
    await client.rest.repos.get(REPO)
    await client.rest.repos.update({ ...REPO, description: 'fresh' })
    expect((await client.rest.repos.get(REPO)).data.description).toBeNull()
    box.settings.faults = NO_FAULTS
    expect((await client.rest.repos.get(REPO)).data.description).toBe('fresh')
  })
})

describe('a restart', () => {
  it('a restart keeps repositories, tokens and unsent webhooks', async () => {
    const receiver = await startReceiver()
    const first = await startTestBox({ webhookUrl: receiver.url })
    await first.settled()
    const installation = await first.app().rest.apps.createInstallationAccessToken({ installation_id: 1 })
    const content = Buffer.from('kept').toString('base64')
    const file = { ...REPO, path: 'kept', message: 'm', content }
    first.settings.faults = { ...NO_FAULTS, webhookReordered: 1 }
    const written = await first.as('wendy').rest.repos.createOrUpdateFileContents(file)
    await first.close()
    expect(receiver.names()).not.toContain('push')
    const second = await startTestBox({ folder: first.folder })
    const client = second.client(installation.data.token)
    const main = await client.rest.git.getRef({ ...REPO, ref: 'heads/main' })
    expect(main.data.object.sha).toBe(written.data.commit.sha)
    expect((await second.as('rita').rest.users.getAuthenticated()).data.login).toBe('rita')
    await second.settled()
    expect(receiver.names()).toContain('push')
  })
})
