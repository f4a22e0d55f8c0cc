import { ApiError, notFound } from '../http/errors.ts'
import {
  LEVELS,
  type Level,
  type Permissions,
  type RepositoryDocument,
  type Role,
} from '../state/documents.ts'
import { findRole, hasRole, installationCovers } from '../state/lookups.ts'
import type { Actor } from './actor.ts'

/** A permission of an App, such as `{ contents: 'write' }`. */
export type Need = Readonly<Record<string, Level>>

export interface RouteAccess {
  /** An installation must have at least one of these permissions. */
  readonly needs: Need | readonly Need[]
  /** The role a person must have. It follows from the permission's level unless given. */
  readonly role?: Role
}

/** The actors that a general route serves. */
export type Who = 'anyone' | 'app' | 'installation' | 'user' | 'authenticated'

/** Throws unless a general route serves this kind of actor. */
export function assertKind(actor: Actor, who: Who): void {
  if (who === 'anyone' || actor.kind === who) return
  if (actor.kind === 'anonymous') throw new ApiError(401, 'Requires authentication')
  if (who === 'authenticated') return
  if (who === 'app') throw new ApiError(401, 'A JSON web token could not be decoded')
  throw forbidden()
}

/** Throws unless the actor may use the repository in this way. A repository the actor cannot see gives 404. */
export function assertAccess(
  actor: Actor,
  repository: RepositoryDocument,
  access: RouteAccess,
  writes: boolean,
): void {
  if (!canSee(actor, repository)) throw notFound()
  // An App's key works on its own endpoints only. Elsewhere the App needs an installation token.
  if (actor.kind === 'app' || (actor.kind === 'anonymous' && writes)) {
    throw new ApiError(401, 'Requires authentication')
  }
  if (actor.kind === 'anonymous') return
  // An admin may still unarchive or delete it.
  const administers = listNeeds(access).some((need) => need.administration !== undefined)
  if (writes && repository.archived && !administers)
    throw new ApiError(403, 'Repository was archived so is read-only.')
  if (actor.kind === 'installation') assertInstallation(actor, repository, access, writes)
  else assertRole(actor.user.login, repository, access.role ?? roleFor(access))
}

function assertRole(login: string, repository: RepositoryDocument, role: Role): void {
  if (!hasRole(repository, login, role)) throw roleMissing(role)
}

function canSee(actor: Actor, repository: RepositoryDocument): boolean {
  if (!repository.private) return true
  if (actor.kind === 'user') return findRole(repository, actor.user.login) !== undefined
  return actor.kind === 'installation' && tokenCovers(actor, repository)
}

type InstallationActor = Extract<Actor, { kind: 'installation' }>

function tokenCovers(actor: InstallationActor, repository: RepositoryDocument): boolean {
  if (!installationCovers(actor.installation, repository)) return false
  return actor.token.repositories === 'all' || actor.token.repositories.includes(repository.id)
}

function assertInstallation(
  actor: InstallationActor,
  repository: RepositoryDocument,
  access: RouteAccess,
  writes: boolean,
): void {
  // A public repository where the App is not installed can be read like anybody else's.
  if (!tokenCovers(actor, repository) && !writes) return
  const needs = listNeeds(access)
  const granted =
    tokenCovers(actor, repository) && needs.some((need) => grants(actor.token.permissions, need))
  if (granted) return
  throw forbidden(needs)
}

/** True when the permissions cover the need. */
export function grants(permissions: Permissions, need: Need): boolean {
  return Object.entries(need).every(([name, level]) => {
    // Every App may read metadata: GitHub grants it with any other permission.
    const held = name === 'metadata' ? (permissions[name] ?? 'read') : permissions[name]
    return held !== undefined && LEVELS.indexOf(held) >= LEVELS.indexOf(level)
  })
}

/** True when the actor has this access to the repository, without throwing. */
export function canUse(actor: Actor, repository: RepositoryDocument, need: Need): boolean {
  if (actor.kind === 'installation') {
    return tokenCovers(actor, repository) && grants(actor.token.permissions, need)
  }
  if (actor.kind !== 'user')
    return !repository.private && Object.values(need).every((level) => level === 'read')
  return hasRole(repository, actor.user.login, roleFor({ needs: need }))
}

function listNeeds(access: RouteAccess): readonly Need[] {
  return isList(access.needs) ? access.needs : [access.needs]
}

function isList(needs: Need | readonly Need[]): needs is readonly Need[] {
  return Array.isArray(needs)
}

const ROLE_OF_LEVEL: Readonly<Record<Level, Role>> = { read: 'read', write: 'write', admin: 'admin' }

function roleFor(access: RouteAccess): Role {
  const levels = listNeeds(access).flatMap((need) => Object.values(need))
  if (listNeeds(access).some((need) => need.administration === 'write')) return 'admin'
  return ROLE_OF_LEVEL[LEVELS.findLast((level) => levels.includes(level)) ?? 'read']
}

function roleMissing(role: Role): ApiError {
  if (role === 'admin') return new ApiError(403, 'Must have admin rights to Repository.')
  return new ApiError(403, `Must have ${role} access to Repository.`)
}

function forbidden(needs: readonly Need[] = []): ApiError {
  const render = (need: Need): string =>
    Object.entries(need)
      .map(([name, level]) => `${name}=${level}`)
      .join(',')
  const headers = needs.length === 0 ? {} : { 'x-accepted-github-permissions': needs.map(render).join('; ') }
  return new ApiError(403, 'Resource not accessible by integration', { headers })
}
