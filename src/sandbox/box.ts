import type { Actor } from './access/actor.ts'
import type { RouteAccess, Who } from './access/permissions.ts'
import type { Runner } from './actions/runner.ts'
import type { Contract } from './contract/contract.ts'
import type { BareRepositories } from './git/bare-repositories.ts'
import type { BareRepository } from './git/bare-repository.ts'
import type { RefMove } from './git/ref-move.ts'
import type { Fields } from './http/fields.ts'
import type { Limits } from './http/limits.ts'
import type { Reply } from './http/reply.ts'
import type { Settings } from './settings.ts'
import type { RepositoryDocument, User } from './state/documents.ts'
import type { Store } from './state/store.ts'
import type { Deliverer } from './webhooks/deliverer.ts'

// These types refer to each other: a box has families, a family has routes, a route handles calls, a call has its
// box. They share a file so that no two files import each other.

/** Everything a handler can reach. */
export interface Box {
  /** The address for people and git, without a trailing slash. The API is below `/api/v3`. */
  readonly url: string
  readonly apiUrl: string
  /** Holds the state. Large items have files of their own in it. */
  readonly folder: string
  readonly store: Store
  readonly git: BareRepositories
  readonly contract: Contract
  readonly deliverer: Deliverer
  readonly limits: Limits
  readonly families: readonly Family[]
  /** They execute workflow runs. Without any, runs stay queued. */
  readonly runners: Set<Runner>
  /** Tests and the command line change these while the sandbox runs. */
  readonly settings: Settings
  now(): Date
  /** The first hundred requests by Apps that GitHub's API descriptions do not allow, oldest first. */
  readonly malformed: string[]
  /** Records an answer or event that GitHub would not have sent. */
  reportDeviation(deviation: string): void
}

/** Something that happened, before anyone is told. */
export interface BoxEvent {
  /** GitHub's name, such as `issue_comment`. */
  readonly name: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly sender: User
  readonly repo?: RepositoryDocument
  /** Only this App is told, as with `check_run.requested_action`. */
  readonly onlyAppId?: number
  /** Set when a workflow job's token caused it: such events start no workflows. */
  readonly runId?: number
}

export interface RefMoves {
  readonly repo: RepositoryDocument
  readonly moves: readonly RefMove[]
  readonly sender: User
  readonly runId?: number
}

/** Who changes an issue or a pull request, and where. */
export interface Doer {
  readonly box: Box
  readonly repo: RepositoryDocument
  readonly sender: User
  /** Set when an App does it. */
  readonly appId: number | null
  readonly runId?: number
}

/** A change to what a pull request shares with issues, such as its labels. */
export interface PullChange {
  readonly doer: Doer
  readonly number: number
  readonly action: string
  /** Extra fields of the event: `changes`, `label` or `assignee`. */
  readonly more: Readonly<Record<string, unknown>>
}

/** One authenticated request. Its parameters and body match the contract. */
export interface Call {
  readonly box: Box
  readonly actor: Actor
  readonly method: string
  readonly url: URL
  readonly path: Fields
  readonly query: Fields
  readonly body: Fields
  /** The `<media>` of `Accept: application/vnd.github.<media>`; 'json' otherwise. */
  readonly media: string
}

/** A call below /repos/{owner}/{repo}: the repository exists and the actor has the access that the route needs. */
export interface RepoCall extends Call {
  readonly repo: RepositoryDocument
  readonly git: BareRepository
}

export type Handler = (call: Call) => Reply | Promise<Reply>
export type RepoHandler = (call: RepoCall) => Reply | Promise<Reply>

/** A route is data. `who` says which actors may call it. */
export type Route = { readonly method: string; readonly template: string } & (
  | { readonly kind: 'repository'; readonly access: RouteAccess; readonly handle: RepoHandler }
  | { readonly kind: 'general'; readonly who: Who; readonly handle: Handler }
)

/** A file to send: its bytes, or the path of one that is too large to hold in memory. */
export type Download = { readonly type: string; readonly name: string } & (
  | { readonly bytes: Uint8Array }
  | { readonly file: string }
)

/** Finds the file behind a signed link. The key is the one that the link was made with. */
export type DownloadSource = (box: Box, key: string) => Promise<Download | undefined> | Download | undefined

/** One family of endpoints: its routes, and how it reacts to what happens elsewhere. */
export interface Family {
  readonly routes: readonly Route[]
  readonly graphql?: GraphqlPart
  /** Files behind signed links, by kind. */
  readonly downloads?: Readonly<Record<string, DownloadSource>>
  /** Called after refs have moved, by API or by push. */
  readonly onRefsMoved?: (box: Box, moves: RefMoves) => Promise<void>
  /** Called after any event, whoever is subscribed to it. */
  readonly onEvent?: (box: Box, event: BoxEvent) => Promise<void>
  /** Called after the issue side of a pull request changed, to send `pull_request`. */
  readonly onPullChanged?: (change: PullChange) => Promise<void>
}

/** What a family adds to GraphQL. A resolver returns plain objects with `__typename`; fields may be functions. */
export interface GraphqlPart {
  readonly queries?: Readonly<Record<string, (call: Call, args: Fields) => unknown>>
  readonly mutations?: Readonly<Record<string, (call: Call, args: Fields) => unknown>>
  /** Fields of the type Repository. */
  readonly repository?: Readonly<Record<string, (call: RepoCall, args: Fields) => unknown>>
}
