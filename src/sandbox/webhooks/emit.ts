import { grants } from '../access/permissions.ts'
import type { Box, BoxEvent } from '../box.ts'
import { nodeId } from '../format.ts'
import { repositoryView } from '../repos/repository-view.ts'
import { apps, type Installation, type RepositoryDocument } from '../state/documents.ts'
import { getUser, installationsOn } from '../state/lookups.ts'
import { organizationView, userView } from '../users/user-view.ts'
import { repositoryHooks } from './hooks.ts'

/** The permission that an App needs to receive an event. Other events need none. */
const EVENT_PERMISSION: Readonly<Record<string, string>> = {
  check_run: 'checks',
  check_suite: 'checks',
  commit_comment: 'contents',
  create: 'contents',
  delete: 'contents',
  issue_comment: 'issues',
  issues: 'issues',
  member: 'members',
  pull_request: 'pull_requests',
  pull_request_review: 'pull_requests',
  pull_request_review_comment: 'pull_requests',
  push: 'contents',
  repository_dispatch: 'contents',
  repository_ruleset: 'administration',
  status: 'statuses',
  workflow_dispatch: 'contents',
  workflow_job: 'actions',
  workflow_run: 'actions',
}

/** Sends an event to the repository's Apps and webhooks, and to the other families. */
export async function emit(box: Box, event: BoxEvent): Promise<void> {
  const payload = { ...event.payload, ...common(box, event) }
  if (event.repo !== undefined) {
    for (const installation of installationsOn(box.store, event.repo)) {
      if (wantsEvent(installation, event)) deliverToApp(box, installation, event, payload)
    }
    if (event.onlyAppId === undefined) deliverToHooks(box, event.repo, event, payload)
  }
  for (const family of box.families) await family.onEvent?.(box, event)
}

/** Sends an App an event about its own installation, which needs no subscription. */
export async function emitToApp(box: Box, installation: Installation, event: BoxEvent): Promise<void> {
  const payload = { ...event.payload, ...common(box, event) }
  deliverToApp(box, installation, event, payload)
  for (const family of box.families) await family.onEvent?.(box, event)
}

function common(box: Box, event: BoxEvent) {
  const owner = event.repo === undefined ? undefined : getUser(box.store, event.repo.owner)
  return {
    ...(event.repo === undefined ? {} : { repository: webhookRepository(box, event) }),
    ...(owner?.type === 'Organization' ? { organization: organizationView(box, owner.login) } : {}),
    sender: userView(box, event.sender),
  }
}

// A push event shows its repository in an older form, with times as numbers.
function webhookRepository(box: Box, event: BoxEvent) {
  if (event.repo === undefined) return undefined
  const view = repositoryView(box, event.repo)
  if (event.name !== 'push') return view
  const seconds = (time: string): number => Math.floor(Date.parse(time) / 1000)
  return {
    ...view,
    owner: { ...view.owner, name: event.repo.owner, email: null },
    created_at: seconds(event.repo.createdAt),
    pushed_at: seconds(event.repo.pushedAt),
    stargazers: 0,
    master_branch: event.repo.defaultBranch,
  }
}

function wantsEvent(installation: Installation, event: BoxEvent): boolean {
  if (installation.suspendedAt !== null) return false
  if (event.onlyAppId !== undefined && event.onlyAppId !== installation.appId) return false
  const permission = EVENT_PERMISSION[event.name]
  if (permission !== undefined && !grants(installation.permissions, { [permission]: 'read' })) return false
  // An App that may write checks receives check events without a subscription.
  const unasked = event.name.startsWith('check_') && installation.permissions.checks === 'write'
  return unasked || installation.events.includes(event.name)
}

function deliverToApp(
  box: Box,
  installation: Installation,
  event: BoxEvent,
  payload: Readonly<Record<string, unknown>>,
): void {
  const app = apps(box.store).find(installation.appId)
  const whole =
    'installation' in payload
      ? payload
      : { ...payload, installation: { id: installation.id, node_id: nodeId('I', installation.id) } }
  check(box, event, whole)
  if (app === undefined || app.webhookUrl === null) return
  box.deliverer.deliver({
    hook: { kind: 'app', appId: app.id },
    event: event.name,
    payload: whole,
    installationId: installation.id,
    repositoryId: event.repo?.id ?? null,
  })
}

function deliverToHooks(
  box: Box,
  repo: RepositoryDocument,
  event: BoxEvent,
  payload: Readonly<Record<string, unknown>>,
): void {
  for (const hook of repositoryHooks(box.store).all()) {
    if (hook.repositoryId !== repo.id || !hook.active) continue
    if (!hook.events.includes('*') && !hook.events.includes(event.name)) continue
    check(box, event, payload)
    box.deliverer.deliver({
      hook: { kind: 'repository', hookId: hook.id },
      event: event.name,
      payload,
      installationId: null,
      repositoryId: repo.id,
    })
  }
}

function check(box: Box, event: BoxEvent, payload: Readonly<Record<string, unknown>>): void {
  for (const deviation of box.contract.checkWebhook(event.name, payload)) {
    box.reportDeviation(`webhook ${event.name}.${String(payload.action ?? '')}: ${deviation}`)
  }
}
