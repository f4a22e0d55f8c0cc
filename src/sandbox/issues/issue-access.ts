import { assertAccess, type RouteAccess } from '../access/permissions.ts'
import type { RepoCall } from '../box.ts'
import { ApiError, notFound, validationFailed } from '../http/errors.ts'
import type { Role } from '../state/documents.ts'
import { hasRole } from '../state/lookups.ts'
import { findIssue, type Issue, isDeletedIssue } from './issues.ts'

/**
 * Most issue routes also serve pull requests. Either permission opens them, and `getIssue` checks the right
 * one.
 */
export const READ_ISSUE: RouteAccess = { needs: [{ issues: 'read' }, { pull_requests: 'read' }] }
/** Anyone who can read may write issues and comments. Handlers check the role for everything else. */
export const WRITE_ISSUE: RouteAccess = {
  needs: [{ issues: 'write' }, { pull_requests: 'write' }],
  role: 'read',
}
export const TRIAGE_ISSUE: RouteAccess = { ...WRITE_ISSUE, role: 'triage' }

/** The issue or pull request named by the path, if the actor has access to it. */
export function getIssue(call: RepoCall): Issue {
  const { store } = call.box
  const number = call.path.number('issue_number')
  if (isDeletedIssue(store, call.repo.id, number)) throw new ApiError(410, 'This issue was deleted')
  return assertIssue(call, findIssue(store, call.repo.id, number))
}

/** Checks access to an issue that was found in another way, such as by a comment. */
export function assertIssue(call: RepoCall, issue: Issue | undefined): Issue {
  if (issue === undefined) throw notFound()
  if (issue.pull !== undefined) return issue
  assertIssuesOn(call)
  const writes = call.method !== 'GET'
  assertAccess(call.actor, call.repo, { needs: { issues: writes ? 'write' : 'read' }, role: 'read' }, writes)
  return issue
}

export function assertIssuesOn(call: RepoCall): void {
  if (!call.repo.features.issues) throw new ApiError(410, 'Issues has been disabled in this repository.')
}

/** True for a person with this role, and for an App, whose permission the route has checked. */
export function mayAs(call: RepoCall, role: Role): boolean {
  if (call.actor.kind === 'installation') return true
  return call.actor.kind === 'user' && hasRole(call.repo, call.actor.user.login, role)
}

export function isActor(call: RepoCall, login: string): boolean {
  return call.actor.kind !== 'anonymous' && call.actor.user.login === login
}

/** Throws unless the actor is the author or a writer. */
export function assertOwnOrWriter(call: RepoCall, author: string): void {
  if (!isActor(call, author) && !mayAs(call, 'write')) throw notYours()
}

export function notYours(): ApiError {
  return new ApiError(403, 'Must have admin rights to Repository.')
}

/** Only writers may comment on a locked issue. */
export function assertUnlocked(call: RepoCall, issue: Issue): void {
  if (issue.locked && !mayAs(call, 'write')) {
    throw new ApiError(403, 'Unable to create comment because issue is locked.')
  }
}

const MAX_BODY_CHARACTERS = 65_536

/** Throws when a body is too long or, in a comment, blank. */
export function assertBody(resource: 'Issue' | 'IssueComment', body: string): void {
  if (resource === 'IssueComment' && body.trim() === '') {
    throw validationFailed({ resource, field: 'body', code: 'unprocessable', message: "Body can't be blank" })
  }
  if (body.length > MAX_BODY_CHARACTERS) {
    const message = `body is too long (maximum is ${MAX_BODY_CHARACTERS} characters)`
    throw validationFailed({ resource, field: 'body', code: 'custom', message })
  }
}
