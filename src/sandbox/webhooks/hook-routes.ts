import { senderOf } from '../access/sender.ts'
import { callingApp } from '../apps/app-routes.ts'
import type { Box, Call, Family, RepoCall } from '../box.ts'
import { isoTime } from '../format.ts'
import { ApiError, notFound, validationFailed } from '../http/errors.ts'
import { created, list, noContent, ok, type Reply } from '../http/reply.ts'
import { repoRoute, route } from '../http/route.ts'
import { repoApiUrl, repositoryView } from '../repos/repository-view.ts'
import type { RepositoryDocument } from '../state/documents.ts'
import { userView } from '../users/user-view.ts'
import {
  type Delivery,
  type HookReference,
  listDeliveries,
  type RepositoryHook,
  repositoryHooks,
} from './hooks.ts'

const HOOK = '/repos/{owner}/{repo}/hooks/{hook_id}'
const READ = { needs: { repository_hooks: 'read' }, role: 'admin' } as const
const WRITE = { needs: { repository_hooks: 'write' }, role: 'admin' } as const

/** Repository webhooks, and the delivery logs of repositories and Apps. */
export const hooksFamily: Family = {
  routes: [
    route('GET /app/hook/deliveries', 'app', (call) => listLog(call, appHook(call))),
    route('GET /app/hook/deliveries/{delivery_id}', 'app', (call) => show(call, appHook(call))),
    route('POST /app/hook/deliveries/{delivery_id}/attempts', 'app', (call) =>
      redeliver(call, appHook(call)),
    ),
    repoRoute('GET /repos/{owner}/{repo}/hooks', READ, listHooks),
    repoRoute('POST /repos/{owner}/{repo}/hooks', WRITE, createHook),
    repoRoute(`GET ${HOOK}`, READ, (call) => ok(hookView(call.box, call.repo, findHook(call)))),
    repoRoute(`PATCH ${HOOK}`, WRITE, updateHook),
    repoRoute(`DELETE ${HOOK}`, WRITE, deleteHook),
    repoRoute(`POST ${HOOK}/pings`, WRITE, (call) => ping(call, findHook(call))),
    repoRoute(`GET ${HOOK}/deliveries`, READ, (call) => listLog(call, repoHook(call))),
    repoRoute(`GET ${HOOK}/deliveries/{delivery_id}`, READ, (call) => show(call, repoHook(call))),
    repoRoute(`POST ${HOOK}/deliveries/{delivery_id}/attempts`, WRITE, (call) =>
      redeliver(call, repoHook(call)),
    ),
  ],
}

function appHook(call: Call): HookReference {
  return { kind: 'app', appId: callingApp(call).id }
}

function repoHook(call: RepoCall): HookReference {
  return { kind: 'repository', hookId: findHook(call).id }
}

function deliveriesOf(box: Box, hook: HookReference): Delivery[] {
  const isSame = (other: HookReference): boolean => JSON.stringify(other) === JSON.stringify(hook)
  return listDeliveries(box.store)
    .filter((one) => one.outcome !== undefined && isSame(one.hook))
    .reverse()
}

// Deliveries are paged by a cursor, the id of the last one on the page.
function listLog(call: Call, hook: HookReference): Reply {
  const size = Math.min(call.query.findNumber('per_page') ?? 30, 100)
  const cursor = Number((call.query.findText('cursor') ?? '').replace('v1_', '')) || Number.POSITIVE_INFINITY
  const wanted = call.query.findText('status')
  const isWanted = (one: Delivery): boolean =>
    wanted === undefined || (wanted === 'success') === (one.outcome?.statusCode ?? 0) < 400
  const rest = deliveriesOf(call.box, hook).filter((one) => one.id < cursor && isWanted(one))
  const page = rest.slice(0, size)
  const next = new URL(call.url)
  next.searchParams.set('cursor', `v1_${page.at(-1)?.id}`)
  const headers = rest.length > size ? { link: `<${next.href}>; rel="next"` } : {}
  return { ...ok(page.map(deliveryItemView)), headers }
}

function findDelivery(call: Call, hook: HookReference): Delivery {
  const id = call.path.number('delivery_id')
  const found = deliveriesOf(call.box, hook).find((one) => one.id === id)
  if (found === undefined) throw notFound()
  return found
}

function show(call: Call, hook: HookReference): Reply {
  return ok(deliveryView(findDelivery(call, hook)))
}

function redeliver(call: Call, hook: HookReference): Reply {
  call.box.deliverer.redeliver(findDelivery(call, hook))
  return { status: 202, json: {} }
}

function hooksOf(call: RepoCall): RepositoryHook[] {
  return repositoryHooks(call.box.store)
    .all()
    .filter((hook) => hook.repositoryId === call.repo.id)
}

function findHook(call: RepoCall): RepositoryHook {
  const found = hooksOf(call).find((hook) => hook.id === call.path.number('hook_id'))
  if (found === undefined) throw notFound()
  return found
}

async function listHooks(call: RepoCall): Promise<Reply> {
  return await list(call, hooksOf(call), (hook) => hookView(call.box, call.repo, hook))
}

function createHook(call: RepoCall): Reply {
  const config = call.body.findObject('config')
  const url = config?.findText('url')
  if (url === undefined || !URL.canParse(url)) {
    throw validationFailed({ resource: 'Hook', field: 'url', code: 'missing_field' })
  }
  if (hooksOf(call).some((hook) => hook.url === url)) {
    const message = 'Hook already exists on this repository'
    throw new ApiError(422, 'Validation Failed', {
      errors: [{ resource: 'Hook', field: 'url', code: 'custom', message }],
    })
  }
  const id = call.box.store.next('repository-hooks') + 10_000
  const now = isoTime(call.box.now())
  const hook = repositoryHooks(call.box.store).put(id, {
    id,
    repositoryId: call.repo.id,
    url,
    secret: config?.findText('secret') ?? null,
    events: call.body.findTexts('events') ?? ['push'],
    active: call.body.findFlag('active') ?? true,
    createdAt: now,
    updatedAt: now,
  })
  ping(call, hook)
  return created(hookView(call.box, call.repo, hook))
}

function updateHook(call: RepoCall): Reply {
  const hook = findHook(call)
  const config = call.body.findObject('config')
  const events = call.body.findTexts('events') ?? hook.events
  const added = call.body.findTexts('add_events') ?? []
  const removed = call.body.findTexts('remove_events') ?? []
  const changed = repositoryHooks(call.box.store).put(hook.id, {
    ...hook,
    url: config?.findText('url') ?? hook.url,
    secret: config?.findText('secret') ?? hook.secret,
    events: [...new Set([...events, ...added])].filter((event) => !removed.includes(event)),
    active: call.body.findFlag('active') ?? hook.active,
    updatedAt: isoTime(call.box.now()),
  })
  return ok(hookView(call.box, call.repo, changed))
}

function deleteHook(call: RepoCall): Reply {
  repositoryHooks(call.box.store).remove(findHook(call).id)
  return noContent()
}

function ping(call: RepoCall, hook: RepositoryHook): Reply {
  const payload = {
    zen: 'Keep it logically awesome.',
    hook_id: hook.id,
    hook: hookView(call.box, call.repo, hook),
    repository: repositoryView(call.box, call.repo),
    sender: userView(call.box, senderOf(call)),
  }
  for (const deviation of call.box.contract.checkWebhook('ping', payload)) {
    call.box.reportDeviation(`webhook ping: ${deviation}`)
  }
  const reference = { kind: 'repository', hookId: hook.id } as const
  call.box.deliverer.deliver({
    hook: reference,
    event: 'ping',
    payload,
    installationId: null,
    repositoryId: call.repo.id,
  })
  return noContent()
}

function hookView(box: Box, repo: RepositoryDocument, hook: RepositoryHook) {
  const url = `${repoApiUrl(box, repo)}/hooks/${hook.id}`
  const last = deliveriesOf(box, { kind: 'repository', hookId: hook.id })[0]?.outcome
  return {
    type: 'Repository',
    id: hook.id,
    name: 'web',
    active: hook.active,
    events: hook.events,
    config: {
      url: hook.url,
      content_type: 'json',
      insecure_ssl: '0',
      ...(hook.secret === null ? {} : { secret: '********' }),
    },
    created_at: hook.createdAt,
    updated_at: hook.updatedAt,
    url,
    test_url: `${url}/test`,
    ping_url: `${url}/pings`,
    deliveries_url: `${url}/deliveries`,
    last_response: {
      code: last?.statusCode ?? null,
      status: last === undefined ? 'unused' : 'active',
      message: last?.status ?? null,
    },
  }
}

/** GitHub's JSON for an entry in a delivery log. */
function deliveryItemView(delivery: Delivery) {
  return {
    id: delivery.id,
    guid: delivery.guid,
    delivered_at: delivery.outcome?.deliveredAt ?? delivery.createdAt,
    redelivery: delivery.redelivery,
    duration: delivery.outcome?.seconds ?? 0,
    status: delivery.outcome?.status ?? 'pending',
    status_code: delivery.outcome?.statusCode ?? 0,
    event: delivery.event,
    action: delivery.action,
    installation_id: delivery.installationId,
    repository_id: delivery.repositoryId,
  }
}

/** A delivery with its request and response. */
function deliveryView(delivery: Delivery) {
  return {
    ...deliveryItemView(delivery),
    url: delivery.url,
    request: { headers: delivery.outcome?.requestHeaders ?? null, payload: JSON.parse(delivery.body) },
    response: {
      headers: delivery.outcome?.responseHeaders ?? null,
      payload: delivery.outcome?.responseBody ?? null,
    },
  }
}
