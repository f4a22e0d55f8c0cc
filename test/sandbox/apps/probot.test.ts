import { type ChildProcess, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { findFreePort } from '../../../src/entrypoints/cli/demo/free-port.ts'
import { REPO, startTestBox, type TestBox, WEBHOOK_SECRET } from '../support.ts'
import { Browser } from '../web/browser.ts'

const MAIN = fileURLToPath(new URL('../../fixtures/probot-app/main.js', import.meta.url))

const children: ChildProcess[] = []
afterEach(async () => {
  for (const child of children.splice(0)) await end(child)
})

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

/** Runs the App as its own process against the sandbox, configured by environment as in production. */
async function startApp(box: TestBox, port: number): Promise<ChildProcess> {
  const child = spawn(process.execPath, [MAIN], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      APP_ID: String(box.apps[0]?.id),
      PRIVATE_KEY: box.privateKey,
      WEBHOOK_SECRET,
      API_URL: box.apiUrl,
      PORT: String(port),
    },
  })
  children.push(child)
  for await (const line of createInterface(child.stdout)) {
    if (line === 'ready') return child
  }
  throw new Error('the App ended before it was ready')
}

async function comments(box: TestBox, issue: number): Promise<(string | undefined)[]> {
  const { data } = await box.as('rita').rest.issues.listComments({ ...REPO, issue_number: issue })
  return data.map((one) => `${one.user?.login}: ${one.body}`)
}

const webhookUrl = (port: number): string => `http://127.0.0.1:${port}/api/github/webhooks`

describe('an unrelated Probot app', () => {
  it('a Probot app comments, creates checks and receives their buttons', async () => {
    const port = await findFreePort()
    const box = await startTestBox({ webhookUrl: webhookUrl(port) })
    await startApp(box, port)
    await box.as('rita').rest.issues.create({ ...REPO, title: 'hello' })
    const content = Buffer.from('one two three').toString('base64')
    const put = { ...REPO, path: 'b.txt', message: 'b', content }
    const { data } = await box.as('wendy').rest.repos.createOrUpdateFileContents(put)
    const ref = data.commit.sha ?? ''
    await box.settled()
    expect(await comments(box, 1)).toEqual(['tester[bot]: Thank you, @rita.'])
    const checks = await box.as('rita').rest.checks.listForRef({ ...REPO, ref })
    expect(checks.data.check_runs).toMatchObject([
      { name: 'words', conclusion: 'success', app: { slug: 'tester' } },
    ])
    const id = checks.data.check_runs[0]?.id
    const page = await (await new Browser(box).be('wendy')).press(`/acme/demo/runs/${id}/actions`, {
      identifier: 'again',
    })
    expect(page.status).toBe(200)
    await box.settled()
    const again = await box.as('rita').rest.checks.listForRef({ ...REPO, ref })
    expect(again.data.check_runs[0]?.output.title).toBe('counted again for wendy: again')
  })

  it('a Probot app survives a restart of the sandbox and gets missed webhooks by redelivery', async () => {
    const port = await findFreePort()
    const first = await startTestBox({ webhookUrl: webhookUrl(port) })
    const app = await startApp(first, port)
    await first.as('rita').rest.issues.create({ ...REPO, title: 'one' })
    await first.settled()
    await first.close()
    const second = await startTestBox({ folder: first.folder, port: Number(new URL(first.url).port) })
    await second.as('rita').rest.issues.create({ ...REPO, title: 'two' })
    await second.settled()
    expect(await comments(second, 1)).toHaveLength(1)
    expect(await comments(second, 2)).toHaveLength(1)
    await end(app)
    await second.as('rita').rest.issues.create({ ...REPO, title: 'three' })
    await second.settled()
    expect(await comments(second, 3)).toEqual([])
    await startApp(second, port)
    const log = await second.app().rest.apps.listWebhookDeliveries({ status: 'failure' })
    const missed = log.data.find((one) => one.event === 'issues')
    await second.app().rest.apps.redeliverWebhookDelivery({ delivery_id: missed?.id ?? 0 })
    await second.settled()
    expect(await comments(second, 3)).toHaveLength(1)
  })

  it('a Probot app refuses a webhook that the sandbox did not sign', async () => {
    const port = await findFreePort()
    const box = await startTestBox({ webhookUrl: webhookUrl(port) })
    await startApp(box, port)
    const body = '{"action":"opened"}'
    const signature = `sha256=${createHmac('sha256', 'wrong').update(body).digest('hex')}`
    const headers = {
      'content-type': 'application/json',
      'x-github-event': 'issues',
      'x-github-delivery': 'a',
      'x-hub-signature-256': signature,
    }
    expect((await fetch(webhookUrl(port), { method: 'POST', headers, body })).status).toBe(400)
  })
})
