import type { Actor } from '../access/actor.ts'
import type { Box } from '../box.ts'
import type { BareRepository } from '../git/bare-repository.ts'
import type { Level, RepositoryDocument, Role } from '../state/documents.ts'
import type { Fields } from './fields.ts'
import type { Reply } from './reply.ts'

/** One authenticated request, its parameters and body already checked against the contract. */
export interface Call {
  readonly box: Box
  readonly actor: Actor
  readonly method: string
  readonly url: URL
  readonly path: Fields
  readonly query: Fields
  readonly body: Fields
  /** What the Accept header asks for: 'json' unless it is `application/vnd.github.<media>`. */
  readonly media: string
}

/** A call below /repos/{owner}/{repo}: the repository exists and the actor may do what the route needs. */
export interface RepoCall extends Call {
  readonly repo: RepositoryDocument
  readonly git: BareRepository
}

/** A permission of an App, such as `{ contents: 'write' }`. */
export type Need = Readonly<Record<string, Level>>

export interface RouteAccess {
  /** Permissions of which an installation must have one. */
  readonly needs: Need | readonly Need[]
  /** The role a person must have; as the permission's level says unless given. */
  readonly role?: Role
}

interface RouteParts {
  readonly method: string
  readonly template: string
}

/** A route is data. `who` says which actors may call it. */
export type Route = RouteParts &
  (
    | { readonly kind: 'repository'; readonly access: RouteAccess; readonly handle: RepoHandler }
    | { readonly kind: 'general'; readonly who: Who; readonly handle: Handler }
  )

export type Who = 'anyone' | 'app' | 'installation' | 'user' | 'authenticated'
type Handler = (call: Call) => Reply | Promise<Reply>
type RepoHandler = (call: RepoCall) => Reply | Promise<Reply>

/** A route below /repos/{owner}/{repo}: `repoRoute('GET /repos/{owner}/{repo}/labels', { issues: 'read' }, listLabels)`. */
export function repoRoute(signature: string, access: Need | RouteAccess, handle: RepoHandler): Route {
  return { ...parseSignature(signature), kind: 'repository', access: parseAccess(access), handle }
}

/** Any other route. */
export function route(signature: string, who: Who, handle: Handler): Route {
  return { ...parseSignature(signature), kind: 'general', who, handle }
}

function parseSignature(signature: string): RouteParts {
  const space = signature.indexOf(' ')
  return { method: signature.slice(0, space), template: signature.slice(space + 1) }
}

function parseAccess(access: Need | RouteAccess): RouteAccess {
  return typeof access.needs === 'object' ? (access as RouteAccess) : { needs: access as Need }
}
