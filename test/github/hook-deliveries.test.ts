import { expect, it } from 'vitest'
import { listDeliveries, readPayload } from '../../src/github/installation/hook-deliveries.ts'
import type { AppRequester } from '../../src/github/installation/repository-transport.ts'
import { aGitHub } from './support.ts'

/** An App whose webhooks are all lost. Its clock is set by the test. */
async function anAppWithoutWebhooks() {
  let nowMs = Date.now()
  const { box } = await aGitHub({ webhookUrl: 'http://127.0.0.1:9/', now: () => new Date(nowMs) })
  box.settings.faults = { ...box.settings.faults, webhookLost: 1 }
  const octokit = box.app()
  const app: AppRequester = { request: (route, parameters) => octokit.request(route, parameters) }
  const hook = { kind: 'app', appId: box.apps[0]?.id ?? 0 } as const
  const send = (payload: Readonly<Record<string, unknown>>): void =>
    box.box.deliverer.deliver({ hook, event: 'check_run', payload, installationId: 1, repositoryId: 2 })
  const pass = (ms: number): void => {
    nowMs += ms
  }
  return { app, send, pass, now: () => nowMs }
}

it('lists all pages of webhooks since a time, newest first, and reads what one said', async () => {
  const { app, send, now, pass } = await anAppWithoutWebhooks()
  send({ action: 'created', count: -1 })
  pass(60_000)
  const sinceMs = now() - 1000
  for (let count = 0; count < 130; count++) send({ action: 'requested_action', count })
  const listed = await listDeliveries(app, sinceMs)
  expect(listed).toHaveLength(130)
  expect(listed[0]).toMatchObject({ event: 'check_run', action: 'requested_action', repository: 2 })
  expect(await readPayload(app, listed[0]?.id ?? 0)).toMatchObject({ count: 129 })
  expect((await listDeliveries(app, 0)).length).toBeGreaterThan(130)
})
