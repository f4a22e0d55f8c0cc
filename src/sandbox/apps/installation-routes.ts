import { senderOf } from '../access/sender.ts'
import type { Box, Call, Family } from '../box.ts'
import { isoTime, nodeId } from '../format.ts'
import { ApiError, notFound } from '../http/errors.ts'
import { list, listIn, noContent, ok, type Reply } from '../http/reply.ts'
import { route } from '../http/route.ts'
import { repositoryView } from '../repos/repository-view.ts'
import {
  apps,
  type Installation,
  installations,
  type RepositoryDocument,
  repositories,
  tokens,
  type User,
} from '../state/documents.ts'
import {
  findRepository,
  findUser,
  getUser,
  hasRole,
  installationsOn,
  repositoriesOf,
} from '../state/lookups.ts'
import { loginView } from '../users/user-view.ts'
import { emitToApp } from '../webhooks/emit.ts'
import { callingApp } from './app-routes.ts'

/** Installations of Apps. */
export const installationsFamily: Family = {
  routes: [
    route('GET /app/installations', 'app', listInstallations),
    route('GET /app/installations/{installation_id}', 'app', (call) => show(call, ownInstallation(call))),
    route('DELETE /app/installations/{installation_id}', 'app', uninstall),
    route('PUT /app/installations/{installation_id}/suspended', 'app', (call) => suspend(call, true)),
    route('DELETE /app/installations/{installation_id}/suspended', 'app', (call) => suspend(call, false)),
    route('GET /users/{username}/installation', 'app', (call) =>
      show(call, accountInstallation(call, 'username')),
    ),
    route('GET /orgs/{org}/installation', 'app', (call) => show(call, accountInstallation(call, 'org'))),
    route('GET /repos/{owner}/{repo}/installation', 'app', (call) => show(call, repoInstallation(call))),
    route('GET /installation/repositories', 'installation', listRepositories),
    route('GET /user/installations', 'user', listForUser),
    route('PUT /user/installations/{installation_id}/repositories/{repository_id}', 'user', (call) =>
      changeSelection(call, 'added'),
    ),
    route('DELETE /user/installations/{installation_id}/repositories/{repository_id}', 'user', (call) =>
      changeSelection(call, 'removed'),
    ),
  ],
}

/** Installs an App on an account and tells the App. */
export async function install(
  box: Box,
  draft: Pick<Installation, 'appId' | 'account' | 'repositories'> & { readonly sender: User },
): Promise<Installation> {
  const app = apps(box.store).find(draft.appId)
  if (app === undefined) throw notFound()
  const id = box.store.next('installations')
  const now = isoTime(box.now())
  const installation = installations(box.store).put(id, {
    id,
    appId: app.id,
    account: draft.account,
    repositories: draft.repositories,
    permissions: app.permissions,
    events: app.events,
    createdAt: now,
    updatedAt: now,
    suspendedAt: null,
    suspendedBy: null,
  })
  await emitEvent(box, installation, 'created', draft.sender)
  return installation
}

/** Accepts new permissions for an installation, as the account's owner does. */
export async function acceptPermissions(
  box: Box,
  { id, permissions, sender }: Pick<Installation, 'id' | 'permissions'> & { readonly sender: User },
): Promise<void> {
  const installation = installations(box.store).find(id)
  if (installation === undefined) throw notFound()
  const updatedAt = isoTime(box.now())
  const changed = installations(box.store).put(id, { ...installation, permissions, updatedAt })
  await emitEvent(box, changed, 'new_permissions_accepted', sender)
}

// Removing a repository turns an installation on all repositories into one on a selection.
async function changeSelection(call: Call, action: 'added' | 'removed'): Promise<Reply> {
  const { box } = call
  const sender = senderOf(call)
  const installation = installations(box.store).find(call.path.number('installation_id'))
  const repo = repositories(box.store).find(call.path.number('repository_id'))
  if (installation === undefined || repo === undefined || repo.owner !== installation.account)
    throw notFound()
  if (!hasRole(repo, sender.login, 'admin')) throw new ApiError(403, 'Must have admin rights to Repository.')
  const without = repositoriesOf(box.store, installation).flatMap(({ id }) => (id === repo.id ? [] : [id]))
  const changed = installations(box.store).put(installation.id, {
    ...installation,
    repositories: action === 'added' ? [...without, repo.id] : without,
    updatedAt: isoTime(box.now()),
  })
  const payload = {
    action,
    installation: installationView(box, changed),
    repository_selection: 'selected',
    repositories_added: action === 'added' ? [shortRepositoryView(repo)] : [],
    repositories_removed: action === 'removed' ? [shortRepositoryView(repo)] : [],
    requester: null,
  }
  await emitToApp(box, changed, { name: 'installation_repositories', payload, sender })
  return noContent()
}

// Lists installations on repositories where the user has a role.
async function listForUser(call: Call): Promise<Reply> {
  const { login } = senderOf(call)
  const seen = installations(call.box.store)
    .all()
    .filter((one) => repositoriesOf(call.box.store, one).some((repo) => hasRole(repo, login, 'read')))
  return await listIn(call, 'installations', seen, (one) => installationView(call.box, one))
}

async function emitEvent(box: Box, installation: Installation, action: string, sender: User): Promise<void> {
  const covered = repositoriesOf(box.store, installation).map(shortRepositoryView)
  const payload = {
    action,
    installation: installationView(box, installation),
    repositories: covered,
    requester: null,
  }
  await emitToApp(box, installation, { name: 'installation', payload, sender })
}

function show(call: Call, installation: Installation | undefined): Reply {
  if (installation === undefined) throw notFound()
  return ok(installationView(call.box, installation))
}

async function listInstallations(call: Call): Promise<Reply> {
  const app = callingApp(call)
  const own = installations(call.box.store)
    .all()
    .filter((one) => one.appId === app.id)
  return await list(call, own, (one) => installationView(call.box, one))
}

/** The installation named by the path, if it belongs to the calling App. */
export function ownInstallation(call: Call): Installation {
  const app = callingApp(call)
  const installation = installations(call.box.store).find(call.path.number('installation_id'))
  if (installation === undefined || installation.appId !== app.id) throw notFound()
  return installation
}

function accountInstallation(call: Call, field: string): Installation | undefined {
  const app = callingApp(call)
  const user = findUser(call.box.store, call.path.text(field))
  return installations(call.box.store)
    .all()
    .find((one) => one.appId === app.id && one.account === user?.login)
}

function repoInstallation(call: Call): Installation | undefined {
  const app = callingApp(call)
  const repo = findRepository(call.box.store, call.path.text('owner'), call.path.text('repo'))
  if (repo === undefined) return undefined
  return installationsOn(call.box.store, repo).find((one) => one.appId === app.id)
}

async function uninstall(call: Call): Promise<Reply> {
  const installation = ownInstallation(call)
  await emitEvent(call.box, installation, 'deleted', senderOf(call))
  for (const token of tokens(call.box.store).all()) {
    if (token.kind === 'installation' && token.installationId === installation.id) {
      tokens(call.box.store).remove(token.token)
    }
  }
  installations(call.box.store).remove(installation.id)
  return noContent()
}

async function suspend(call: Call, suspended: boolean): Promise<Reply> {
  const installation = ownInstallation(call)
  const changed = installations(call.box.store).put(installation.id, {
    ...installation,
    suspendedAt: suspended ? isoTime(call.box.now()) : null,
    suspendedBy: suspended ? callingApp(call).owner : null,
  })
  await emitEvent(call.box, changed, suspended ? 'suspend' : 'unsuspend', senderOf(call))
  return noContent()
}

async function listRepositories(call: Call): Promise<Reply> {
  const { actor, box } = call
  if (actor.kind !== 'installation') throw new ApiError(403, 'Resource not accessible by integration')
  const allowed = actor.token.repositories
  const covered = repositoriesOf(box.store, actor.installation)
  const seen = covered.filter((repo) => allowed === 'all' || allowed.includes(repo.id))
  return await listIn(call, 'repositories', seen, (repo) => repositoryView(box, repo))
}

/** GitHub's JSON for an installation, in answers and webhooks. */
function installationView(box: Box, installation: Installation) {
  const account = getUser(box.store, installation.account)
  const app = apps(box.store).find(installation.appId)
  return {
    id: installation.id,
    node_id: nodeId('I', installation.id),
    client_id: app?.clientId ?? '',
    account: loginView(box, installation.account),
    repository_selection: installation.repositories === 'all' ? 'all' : 'selected',
    access_tokens_url: `${box.apiUrl}/app/installations/${installation.id}/access_tokens`,
    repositories_url: `${box.apiUrl}/installation/repositories`,
    html_url: `${box.url}/settings/installations/${installation.id}`,
    app_id: installation.appId,
    app_slug: app?.slug ?? '',
    target_id: account.id,
    target_type: account.type,
    permissions: { metadata: 'read', ...installation.permissions },
    events: installation.events,
    created_at: installation.createdAt,
    updated_at: installation.updatedAt,
    single_file_name: null,
    has_multiple_single_files: false,
    single_file_paths: [],
    suspended_by: installation.suspendedBy === null ? null : loginView(box, installation.suspendedBy),
    suspended_at: installation.suspendedAt,
  }
}

/** The five fields of a repository in installation events. */
function shortRepositoryView(repo: RepositoryDocument) {
  return {
    id: repo.id,
    node_id: nodeId('R', repo.id),
    name: repo.name,
    full_name: `${repo.owner}/${repo.name}`,
    private: repo.private,
  }
}
