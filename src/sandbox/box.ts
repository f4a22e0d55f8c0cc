import type { Runner } from './actions/runner.ts'
import type { Contract } from './contract/contract.ts'
import type { GitHouse } from './git/bare-repositories.ts'
import type { RefMove } from './git/ref-moves.ts'
import type { Call, RepoCall, Route } from './http/call.ts'
import type { DownloadSource } from './http/downloads.ts'
import type { Fields } from './http/fields.ts'
import type { Limits } from './http/limits.ts'
import type { IssueChange } from './issues/issue-changes.ts'
import type { Settings } from './settings.ts'
import type { RepositoryDocument, User } from './state/documents.ts'
import type { Store } from './state/store.ts'
import type { Deliverer } from './webhooks/deliverer.ts'

/** All that a handler can reach. */
export interface Box {
  /** Where people and git come, without a slash at the end; the API is below `/api/v3`. */
  readonly url: string
  readonly apiUrl: string
  /** Where the state lives; large things have files of their own in it. */
  readonly folder: string
  readonly store: Store
  readonly git: GitHouse
  readonly contract: Contract
  readonly deliverer: Deliverer
  readonly limits: Limits
  readonly families: readonly Family[]
  /** Those who execute workflow runs; none means that runs stay queued. */
  readonly runners: Set<Runner>
  /** Switches; tests and the command line change them while the box runs. */
  readonly settings: Settings
  now(): Date
  /** Requests of Apps that GitHub's descriptions do not allow, oldest first: the first hundred. */
  readonly malformed: string[]
  /** Records something that GitHub would not have said. */
  reportDeviation(deviation: string): void
}

/** Something that happened, before it is known who is told. */
export interface BoxEvent {
  /** GitHub's name, such as `issue_comment`. */
  readonly name: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly sender: User
  readonly repo?: RepositoryDocument
  /** Only this App is told, as with `check_run.requested_action`. */
  readonly onlyAppId?: number
  /** Set when a workflow job's token did it: such events start no workflows. */
  readonly runId?: number
}

/** One family of endpoints: its routes, and what it does when something happens elsewhere. */
export interface Family {
  readonly routes: readonly Route[]
  readonly graphql?: GraphqlPart
  /** Files behind signed links, by kind. */
  readonly downloads?: Readonly<Record<string, DownloadSource>>
  /** After branches, tags or other refs have moved, by API or by push. */
  readonly onRefsMoved?: (box: Box, moves: RefMoves) => Promise<void>
  /** After any event, whoever is subscribed to it. */
  readonly onEvent?: (box: Box, event: BoxEvent) => Promise<void>
  /** After a pull request changed in what it shares with issues, such as its labels: tells `pull_request`. */
  readonly onPullChanged?: (change: IssueChange) => Promise<void>
}

/** What a family adds to GraphQL. A resolver gives plain objects with `__typename`, fields may be functions. */
export interface GraphqlPart {
  readonly queries?: Readonly<Record<string, (call: Call, args: Fields) => unknown>>
  readonly mutations?: Readonly<Record<string, (call: Call, args: Fields) => unknown>>
  /** Fields of the type Repository. */
  readonly repository?: Readonly<Record<string, (call: RepoCall, args: Fields) => unknown>>
}

export interface RefMoves {
  readonly repo: RepositoryDocument
  readonly moves: readonly RefMove[]
  readonly sender: User
  readonly runId?: number
}

/** GitHub's form of a time: no fractions of a second. */
export function isoTime(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`
}

/** GitHub's opaque ids: the kind of thing and its number. */
export function nodeId(kind: string, id: number | string): string {
  return `${kind}_${Buffer.from(String(id)).toString('base64url')}`
}

/** The number in an id that `nodeId` made; undefined when it is of another kind. */
export function findNumberInNodeId(kind: string, id: string): number | undefined {
  if (!id.startsWith(`${kind}_`)) return undefined
  const number = Number(Buffer.from(id.slice(kind.length + 1), 'base64url').toString('utf8'))
  return Number.isInteger(number) ? number : undefined
}
