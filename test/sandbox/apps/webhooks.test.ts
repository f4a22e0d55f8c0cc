import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { NO_FAULTS } from '../../../src/sandbox/settings.ts'
import { failure, REPO, startReceiver, startTestBox, WEBHOOK_SECRET } from '../support.ts'

const FILE = { ...REPO, path: 'b.txt', message: 'add b', content: Buffer.from('b\n').toString('base64') }
// An App that may write checks also receives check suites.
const PUSHES = { contents: 'read' } as const

describe('webhooks of an App', () => {
  it('a webhook is signed, numbered and matches its schema', async () => {
    const receiver = await startReceiver()
    const box = await startTestBox({ webhookUrl: receiver.url })
    await (await box.installation()).rest.repos.createOrUpdateFileContents(FILE)
    await box.settled()
    const push = receiver.received.find((one) => one.event === 'push')
    const signature = createHmac('sha256', WEBHOOK_SECRET)
      .update(push?.body ?? '')
      .digest('hex')
    expect(push?.headers['x-hub-signature-256']).toBe(`sha256=${signature}`)
    expect(push?.headers['x-github-delivery']).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-/)
    expect(push?.payload).toMatchObject({
      ref: 'refs/heads/main',
      installation: { id: 1 },
      sender: { login: 'tester[bot]', type: 'Bot' },
      commits: [{ message: 'add b', added: ['b.txt'] }],
    })
  })

  it('a webhook is logged and can be redelivered under the same GUID', async () => {
    const receiver = await startReceiver(500)
    const box = await startTestBox({ webhookUrl: receiver.url })
    await box.as('wendy').rest.repos.createOrUpdateFileContents(FILE)
    await box.settled()
    const log = await box.app().rest.apps.listWebhookDeliveries({ status: 'failure' })
    const failed = log.data.find((one) => one.event === 'push')
    expect(failed).toMatchObject({ status_code: 500, redelivery: false, repository_id: 1 })
    await box.app().rest.apps.redeliverWebhookDelivery({ delivery_id: failed?.id ?? 0 })
    await box.settled()
    const again = (await box.app().rest.apps.listWebhookDeliveries()).data[0]
    expect(again).toMatchObject({ guid: failed?.guid, redelivery: true })
    const whole = await box.app().rest.apps.getWebhookDelivery({ delivery_id: again?.id ?? 0 })
    expect(whole.data.response.payload).toBe('thanks')
    expect((await failure(box.app().rest.apps.getWebhookDelivery({ delivery_id: 999 }))).status).toBe(404)
  })

  it('creating and deleting branches and tags sends webhooks, and other refs send none', async () => {
    const receiver = await startReceiver()
    const box = await startTestBox({ webhookUrl: receiver.url, permissions: PUSHES })
    const client = box.as('wendy')
    const { data } = await client.rest.repos.getBranch({ ...REPO, branch: 'main' })
    await box.settled()
    receiver.received.length = 0
    for (const ref of ['heads/x/y', 'tags/v1', 'loreley/keep/1']) {
      await client.rest.git.createRef({ ...REPO, ref: `refs/${ref}`, sha: data.commit.sha })
      await client.rest.git.deleteRef({ ...REPO, ref })
    }
    await box.settled()
    expect(receiver.names()).toEqual(['create', 'push', 'push', 'delete', 'create', 'push', 'push', 'delete'])
    expect(receiver.received[0]?.payload).toMatchObject({
      ref: 'x/y',
      ref_type: 'branch',
      master_branch: 'main',
    })
  })

  it('webhooks are lost, doubled and reordered on request', async () => {
    const receiver = await startReceiver()
    const box = await startTestBox({ webhookUrl: receiver.url, permissions: PUSHES })
    await box.settled()
    const write = async (path: string) =>
      await box.as('wendy').rest.repos.createOrUpdateFileContents({ ...FILE, path })
    const sentAfter = async (faults: Partial<typeof NO_FAULTS>, path: string): Promise<number> => {
      receiver.received.length = 0
      box.settings.faults = { ...NO_FAULTS, ...faults }
      await write(path)
      await box.settled()
      return receiver.received.length
    }
    expect(await sentAfter({ webhookLost: 1 }, '1')).toBe(0)
    expect(await sentAfter({ webhookDoubled: 1 }, '2')).toBe(2)
    expect(new Set(receiver.received.map((one) => one.headers['x-github-delivery'])).size).toBe(1)
    box.settings.faults = { ...NO_FAULTS, webhookReordered: 1 }
    await write('3')
    expect(await sentAfter({}, '4')).toBe(2)
    expect(receiver.received.map((one) => one.payload.head_commit)).toMatchObject([
      { added: ['4'] },
      { added: ['3'] },
    ])
  })
})

describe('webhooks of a repository', () => {
  it('only admins create repository webhooks, which are pinged and get the events they ask for', async () => {
    const receiver = await startReceiver()
    const box = await startTestBox()
    const draft = { ...REPO, config: { url: receiver.url, secret: 's' }, events: ['create'] }
    expect((await failure(box.as('wendy').rest.repos.createWebhook(draft))).status).toBe(403)
    const hooks = box.as('olivia').rest.repos
    const made = await hooks.createWebhook(draft)
    expect((await failure(hooks.createWebhook(draft))).status).toBe(422)
    await box.as('wendy').rest.repos.createOrUpdateFileContents(FILE)
    const target = { ...REPO, hook_id: made.data.id }
    await hooks.updateWebhook({ ...target, add_events: ['push'] })
    await box.as('wendy').rest.repos.createOrUpdateFileContents({ ...FILE, path: 'c.txt' })
    await box.settled()
    expect(receiver.names()).toEqual(['ping', 'push'])
    expect((await hooks.listWebhookDeliveries(target)).data.map((one) => one.event)).toEqual(['push', 'ping'])
    expect((await hooks.listWebhooks(REPO)).data).toHaveLength(1)
    await hooks.deleteWebhook(target)
    expect((await failure(hooks.getWebhook(target))).status).toBe(404)
  })
})
