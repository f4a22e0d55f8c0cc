import type { Box, Call, Family } from '../box.ts'
import { nodeId } from '../format.ts'
import { ApiError, notFound } from '../http/errors.ts'
import { ok, type Reply } from '../http/reply.ts'
import { route } from '../http/route.ts'
import { type App, apps, installations } from '../state/documents.ts'
import { loginView } from '../users/user-view.ts'

/** Apps, as seen with their private key. */
export const appsFamily: Family = {
  routes: [
    route('GET /app', 'app', (call) => ok(appView(call.box, callingApp(call)))),
    route('GET /apps/{app_slug}', 'anyone', getAppBySlug),
    route('GET /app/hook/config', 'app', (call) => ok(hookConfigView(callingApp(call)))),
    route('PATCH /app/hook/config', 'app', updateHookConfig),
  ],
}

/** The App that calls with its JWT. */
export function callingApp(call: Call): App {
  if (call.actor.kind !== 'app') throw new ApiError(401, 'A JSON web token could not be decoded')
  return apps(call.box.store).find(call.actor.app.id) ?? call.actor.app
}

/** GitHub's JSON for an App, also embedded in check runs. */
export function appView(box: Box, app: App) {
  return {
    id: app.id,
    slug: app.slug,
    client_id: app.clientId,
    node_id: nodeId('A', app.id),
    owner: loginView(box, app.owner),
    name: app.name,
    description: app.description,
    external_url: `${box.url}/apps/${app.slug}`,
    html_url: `${box.url}/apps/${app.slug}`,
    created_at: app.createdAt,
    updated_at: app.createdAt,
    permissions: app.permissions,
    events: app.events,
    installations_count: installations(box.store)
      .all()
      .filter((one) => one.appId === app.id).length,
  }
}

function getAppBySlug(call: Call): Reply {
  const slug = call.path.text('app_slug')
  const app = apps(call.box.store)
    .all()
    .find((one) => one.slug === slug)
  if (app === undefined) throw notFound()
  return ok(appView(call.box, app))
}

function hookConfigView(app: App) {
  return {
    url: app.webhookUrl ?? '',
    content_type: 'json',
    insecure_ssl: '0',
    ...(app.webhookSecret === null ? {} : { secret: '********' }),
  }
}

function updateHookConfig(call: Call): Reply {
  const app = callingApp(call)
  const changed = apps(call.box.store).put(app.id, {
    ...app,
    webhookUrl: call.body.findText('url') ?? app.webhookUrl,
    webhookSecret: call.body.findText('secret') ?? app.webhookSecret,
  })
  return ok(hookConfigView(changed))
}
