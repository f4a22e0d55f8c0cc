import { createHmac, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Chance } from '../http/chance.ts'
import type { Settings } from '../settings.ts'
import { apps } from '../state/documents.ts'
import type { Store } from '../state/store.ts'
import {
  type Delivery,
  type HookReference,
  listDeliveries,
  putDelivery,
  putOutcome,
  removeDelivery,
  repositoryHooks,
} from './hooks.ts'
import { postJson } from './post.ts'

/** GitHub keeps deliveries for some days. The sandbox keeps the last ones. */
const KEPT_DELIVERIES = 500

export interface DeliveryRequest {
  readonly hook: HookReference
  readonly event: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly installationId: number | null
  readonly repositoryId: number | null
}

type RecordedRequest = Omit<DeliveryRequest, 'payload'> & Pick<Delivery, 'action' | 'body'>

interface Target {
  readonly id: number
  readonly kind: 'integration' | 'repository'
  readonly targetId: number
  readonly url: string
  readonly secret: string | null
}

/** Sends webhooks, in sequence for each hook, and logs them. */
export class Deliverer {
  readonly #store: Store
  readonly #settings: Settings
  readonly #chance: Chance
  readonly #now: () => string
  readonly #queues = new Map<string, Promise<void>>()
  readonly #held = new Map<string, Delivery[]>()
  #closed = false

  constructor(parts: { store: Store; settings: Settings; chance: Chance; now: () => string }) {
    this.#store = parts.store
    this.#settings = parts.settings
    this.#chance = parts.chance
    this.#now = parts.now
  }

  /** Queues a webhook without waiting for it. */
  deliver(request: DeliveryRequest): void {
    const { faults } = this.#settings
    const { payload, ...rest } = request
    const action = typeof payload.action === 'string' ? payload.action : null
    const body = JSON.stringify(payload)
    const delivery = this.#record({ ...rest, action, body }, randomUUID(), false)
    if (this.#chance.happens(faults.webhookLost)) this.#lose(delivery)
    else if (this.#chance.happens(faults.webhookReordered)) this.#hold(delivery)
    else {
      this.#enqueue(delivery)
      if (this.#chance.happens(faults.webhookDoubled)) this.#enqueue(delivery)
      this.#release(hookKey(request.hook))
    }
  }

  /** Sends a logged webhook again, with the same GUID. */
  redeliver(delivery: Delivery): void {
    this.#enqueue(this.#record(delivery, delivery.guid, true))
  }

  /** Sends what was queued when the sandbox last stopped. */
  resume(): void {
    for (const delivery of listDeliveries(this.#store)) {
      if (delivery.outcome === undefined) this.#enqueue(delivery)
    }
  }

  /** Waits until nothing is left to send. */
  async settled(): Promise<void> {
    for (const key of this.#held.keys()) this.#release(key)
    let last: Promise<void>[] = []
    for (let current = [...this.#queues.values()]; current.some((one, index) => one !== last[index]); ) {
      last = current
      await Promise.all(current)
      current = [...this.#queues.values()]
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all(this.#queues.values())
  }

  /** The address and secret of a hook, or undefined if it is gone. */
  findTarget(hook: HookReference): Target | undefined {
    if (hook.kind === 'app') {
      const app = apps(this.#store).find(hook.appId)
      if (app === undefined || app.webhookUrl === null) return undefined
      return {
        id: app.id,
        kind: 'integration',
        targetId: app.id,
        url: app.webhookUrl,
        secret: app.webhookSecret,
      }
    }
    const found = repositoryHooks(this.#store).find(hook.hookId)
    if (found === undefined) return undefined
    return {
      id: found.id,
      kind: 'repository',
      targetId: found.repositoryId,
      url: found.url,
      secret: found.secret,
    }
  }

  #record(request: RecordedRequest, guid: string, redelivery: boolean): Delivery {
    const id = this.#store.next('deliveries')
    removeDelivery(this.#store, id - KEPT_DELIVERIES)
    return putDelivery(this.#store, {
      id,
      guid,
      hook: request.hook,
      event: request.event,
      action: request.action,
      body: request.body,
      installationId: request.installationId,
      repositoryId: request.repositoryId,
      redelivery,
      url: this.findTarget(request.hook)?.url ?? '',
      createdAt: this.#now(),
    })
  }

  // Simulates a lost webhook. The log shows it, and it can be redelivered.
  #lose(delivery: Delivery): void {
    const nothing = { requestHeaders: {}, responseHeaders: {}, responseBody: '' }
    const outcome = {
      deliveredAt: this.#now(),
      seconds: 10,
      status: 'timed out',
      statusCode: 504,
      ...nothing,
    }
    putOutcome(this.#store, delivery.id, outcome)
  }

  #hold(delivery: Delivery): void {
    const key = hookKey(delivery.hook)
    this.#held.set(key, [...(this.#held.get(key) ?? []), delivery])
  }

  #release(key: string): void {
    for (const waiting of this.#held.get(key) ?? []) this.#enqueue(waiting)
    this.#held.delete(key)
  }

  #enqueue(delivery: Delivery): void {
    const key = hookKey(delivery.hook)
    const before = this.#queues.get(key) ?? Promise.resolve()
    this.#queues.set(
      key,
      before.then(() => this.#send(delivery)),
    )
  }

  async #send(delivery: Delivery): Promise<void> {
    const { faults } = this.#settings
    if (this.#chance.happens(faults.webhookDelayed)) await sleep(faults.webhookDelayMs)
    const target = this.findTarget(delivery.hook)
    // A closed sandbox leaves the rest for its next start.
    if (this.#closed || target === undefined) return
    const { body } = delivery
    const requestHeaders = webhookHeaders(delivery, target, body)
    const started = performance.now()
    const sent = await postJson(target.url, requestHeaders, body)
    const answered = sent.status === 'answered'
    putOutcome(this.#store, delivery.id, {
      deliveredAt: this.#now(),
      seconds: Math.round((performance.now() - started) / 10) / 100,
      status: answered ? statusText(sent.code) : sent.reason,
      statusCode: answered ? sent.code : 502,
      requestHeaders,
      responseHeaders: answered ? sent.headers : {},
      responseBody: answered ? sent.body : '',
    })
  }
}

function webhookHeaders(delivery: Delivery, target: Target, body: string): Record<string, string> {
  const sign = (algorithm: string): string =>
    `${algorithm}=${createHmac(algorithm, target.secret ?? '')
      .update(body)
      .digest('hex')}`
  return {
    accept: '*/*',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'GitHub-Hookshot/box',
    'x-github-delivery': delivery.guid,
    'x-github-event': delivery.event,
    'x-github-hook-id': String(target.id),
    'x-github-hook-installation-target-id': String(target.targetId),
    'x-github-hook-installation-target-type': target.kind,
    ...(target.secret === null
      ? {}
      : { 'x-hub-signature': sign('sha1'), 'x-hub-signature-256': sign('sha256') }),
  }
}

function statusText(code: number): string {
  return code >= 200 && code < 300 ? 'OK' : `Invalid HTTP Response: ${code}`
}

function hookKey(hook: HookReference): string {
  return hook.kind === 'app' ? `app ${hook.appId}` : `repository ${hook.hookId}`
}
