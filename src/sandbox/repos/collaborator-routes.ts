import type { RouteAccess } from '../access/permissions.ts'
import { byActor } from '../access/sender.ts'
import type { Box, Family, RepoCall } from '../box.ts'
import { isoTime } from '../format.ts'
import { ApiError, notFound, validationFailed } from '../http/errors.ts'
import { list, noContent, ok, type Reply } from '../http/reply.ts'
import { repoRoute } from '../http/route.ts'
import { isActor, mayAs, notYours } from '../issues/issue-access.ts'
import { type RepositoryDocument, type Role, repositories, type User } from '../state/documents.ts'
import { findRole, findUser, getUser, hasRole } from '../state/lookups.ts'
import { userView } from '../users/user-view.ts'
import { emit } from '../webhooks/emit.ts'
import { permissionsView } from './repository-view.ts'

const COLLABORATORS = '/repos/{owner}/{repo}/collaborators'
const READ: RouteAccess = { needs: { metadata: 'read' }, role: 'write' }

/** Collaborators and their permissions. */
export const collaboratorsFamily: Family = {
  routes: [
    repoRoute(`GET ${COLLABORATORS}`, READ, listCollaborators),
    repoRoute(`GET ${COLLABORATORS}/{username}`, READ, (call) => {
      const login = call.path.text('username').toLowerCase()
      const all = collaboratorLogins(call.box, call.repo)
      if (!all.some((one) => one.toLowerCase() === login)) throw notFound()
      return noContent()
    }),
    repoRoute(`GET ${COLLABORATORS}/{username}/permission`, READ, getPermission),
    repoRoute(`PUT ${COLLABORATORS}/{username}`, { administration: 'write' }, add),
    // People may remove themselves.
    repoRoute(
      `DELETE ${COLLABORATORS}/{username}`,
      { needs: { administration: 'write' }, role: 'read' },
      remove,
    ),
  ],
}

/** Older role names, which GitHub's requests still use. */
const ROLE_OF_PERMISSION: Readonly<Record<string, Role>> = {
  pull: 'read',
  triage: 'triage',
  push: 'write',
  maintain: 'maintain',
  admin: 'admin',
}

/** `permission` has only four levels. The role is more precise. */
const PERMISSION_OF_ROLE: Readonly<Record<Role, string>> = {
  read: 'read',
  triage: 'read',
  write: 'write',
  maintain: 'write',
  admin: 'admin',
}

function collaboratorLogins(box: Box, repo: RepositoryDocument): string[] {
  const owner = getUser(box.store, repo.owner)
  return [...(owner.type === 'User' ? [owner.login] : []), ...Object.keys(repo.collaborators)]
}

async function listCollaborators(call: RepoCall): Promise<Reply> {
  const { box, repo, query } = call
  const least = ROLE_OF_PERMISSION[query.findText('permission') ?? 'pull'] ?? 'read'
  const found = collaboratorLogins(box, repo).filter((login) => hasRole(repo, login, least))
  return await list(call, found, (login) => collaboratorView(box, repo, getUser(box.store, login)))
}

function collaboratorView(box: Box, repo: RepositoryDocument, user: User) {
  return {
    ...userView(box, user),
    permissions: permissionsView(repo, user.login),
    role_name: findRole(repo, user.login) ?? 'none',
  }
}

function getPermission(call: RepoCall): Reply {
  const login = call.path.text('username')
  const user = findUser(call.box.store, login)
  // Bots and organisations have no role of their own.
  if (user?.type !== 'User') throw new ApiError(404, `${login} is not a user`)
  const role = findRole(call.repo, user.login)
  return ok({
    permission: role === undefined ? 'none' : PERMISSION_OF_ROLE[role],
    role_name: role ?? 'none',
    user: collaboratorView(call.box, call.repo, user),
  })
}

// GitHub sends strangers an invitation. Here the role is granted at once, as for organisation members.
async function add(call: RepoCall): Promise<Reply> {
  const user = findUser(call.box.store, call.path.text('username'))
  if (user?.type !== 'User') throw notFound()
  const asked = call.body.findText('permission') ?? 'push'
  const role = ROLE_OF_PERMISSION[asked]
  if (role === undefined) {
    throw validationFailed({ resource: 'Repository', field: 'permission', code: 'invalid' })
  }
  const { [user.login]: before, ...others } = current(call).collaborators
  const repo = save(call, { ...others, [user.login]: role })
  if (before === undefined) {
    const changes = { permission: { to: PERMISSION_OF_ROLE[role] }, role_name: { to: role } }
    await emitEvent(call, repo, user, { action: 'added', changes })
  } else if (before !== role) {
    await emitEvent(call, repo, user, {
      action: 'edited',
      changes: { permission: { from: before, to: role } },
    })
  }
  return noContent()
}

async function remove(call: RepoCall): Promise<Reply> {
  const user = findUser(call.box.store, call.path.text('username'))
  if (user === undefined) throw notFound()
  if (!mayAs(call, 'admin') && !isActor(call, user.login)) throw notYours()
  const { [user.login]: role, ...others } = current(call).collaborators
  if (role === undefined) return noContent()
  await emitEvent(call, save(call, others), user, { action: 'removed' })
  return noContent()
}

async function emitEvent(
  call: RepoCall,
  repo: RepositoryDocument,
  user: User,
  change: Readonly<Record<string, unknown>>,
): Promise<void> {
  const payload = { ...change, member: userView(call.box, user) }
  await emit(call.box, { name: 'member', payload, repo, ...byActor(call) })
}

// The call's copy may be older than others' changes.
function current(call: RepoCall): RepositoryDocument {
  return repositories(call.box.store).find(call.repo.id) ?? call.repo
}

function save(call: RepoCall, collaborators: Readonly<Record<string, Role>>): RepositoryDocument {
  const changed = { ...current(call), collaborators, updatedAt: isoTime(call.box.now()) }
  return repositories(call.box.store).put(call.repo.id, changed)
}
