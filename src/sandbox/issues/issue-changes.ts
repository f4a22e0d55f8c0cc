import { byActor } from '../access/sender.ts'
import type { Box, Call, Doer, RepoCall } from '../box.ts'
import { isoTime } from '../format.ts'
import { emit } from '../webhooks/emit.ts'
import { type IssueEventDetail, recordEvent } from './issue-events.ts'
import { issueView } from './issue-view.ts'
import { freshIssue, type Issue, type LockReason, type StateReason, saveIssue } from './issues.ts'

/** A change that sends an `issues` or `pull_request` event. */
export interface IssueChange {
  readonly doer: Doer
  readonly issue: Issue
  readonly action:
    | 'edited'
    | 'closed'
    | 'reopened'
    | 'labeled'
    | 'unlabeled'
    | 'assigned'
    | 'unassigned'
    | 'locked'
    | 'unlocked'
  /** Extra fields of the event: `changes`, `label` or `assignee`. */
  readonly more: Readonly<Record<string, unknown>>
}

/** The doer of a call in a repository. */
export function doerOf(call: Call & Pick<RepoCall, 'repo'>): Doer {
  const appId = call.actor.kind === 'installation' ? call.actor.app.id : null
  return { box: call.box, repo: call.repo, appId, ...byActor(call) }
}

/** Saves changes to an issue, with a new change time. */
export function touchIssue(box: Box, issue: Issue, changes: Partial<Issue>): Issue {
  return saveIssue(box.store, {
    ...freshIssue(box.store, issue),
    ...changes,
    updatedAt: isoTime(box.now()),
  })
}

/** Changes the title or body of an issue or pull request. Does nothing if they are the same. */
export async function editIssue(
  doer: Doer,
  issue: Issue,
  to: Partial<Pick<Issue, 'title' | 'body'>>,
): Promise<Issue> {
  const { title = issue.title, body = issue.body } = to
  const changes = {
    ...(title === issue.title ? {} : { title: { from: issue.title } }),
    ...(body === issue.body ? {} : { body: { from: issue.body ?? '' } }),
  }
  if (Object.keys(changes).length === 0) return issue
  const lastEdit = { login: doer.sender.login, at: isoTime(doer.box.now()) }
  const changed = touchIssue(doer.box, issue, { ...to, ...('body' in changes && { lastEdit }) })
  if (title !== issue.title)
    addToTimeline(doer, changed, 'renamed', { rename: { from: issue.title, to: title } })
  await emitIssueChange({ doer, issue: changed, action: 'edited', more: { changes } })
  return changed
}

/** Closes an issue or pull request. The reason of a pull request is null. */
export async function closeIssue(doer: Doer, issue: Issue, reason: StateReason | null): Promise<Issue> {
  const changed = touchIssue(doer.box, issue, {
    state: 'closed',
    stateReason: reason,
    closedAt: isoTime(doer.box.now()),
    closedBy: doer.sender.login,
  })
  addToTimeline(doer, changed, 'closed', { stateReason: reason })
  await emitIssueChange({ doer, issue: changed, action: 'closed', more: {} })
  return changed
}

export async function reopenIssue(doer: Doer, issue: Issue): Promise<Issue> {
  const stateReason = issue.pull === undefined ? 'reopened' : null
  const changed = touchIssue(doer.box, issue, { state: 'open', stateReason, closedAt: null, closedBy: null })
  addToTimeline(doer, changed, 'reopened', { stateReason })
  await emitIssueChange({ doer, issue: changed, action: 'reopened', more: {} })
  return changed
}

export async function lockIssue(doer: Doer, issue: Issue, lockReason: LockReason | null): Promise<Issue> {
  const changed = touchIssue(doer.box, issue, { locked: true, lockReason })
  if (issue.locked) return changed
  addToTimeline(doer, changed, 'locked', { lockReason })
  await emitIssueChange({ doer, issue: changed, action: 'locked', more: {} })
  return changed
}

export async function unlockIssue(doer: Doer, issue: Issue): Promise<Issue> {
  if (!issue.locked) return issue
  const changed = touchIssue(doer.box, issue, { locked: false, lockReason: null })
  addToTimeline(doer, changed, 'unlocked', { lockReason: null })
  await emitIssueChange({ doer, issue: changed, action: 'unlocked', more: {} })
  return changed
}

/** Adds an entry to the timeline. */
export function addToTimeline(doer: Doer, issue: Issue, event: string, detail: IssueEventDetail = {}): void {
  recordEvent(doer.box, issue, { event, actor: doer.sender.login, appId: doer.appId, detail })
}

/** Sends a change as `issues`. For a pull request, its family sends `pull_request`. */
export async function emitIssueChange(change: IssueChange): Promise<void> {
  const { doer, issue, action, more } = change
  if (issue.pull === undefined) {
    await emitIssue(doer, { action, issue: issueView(doer.box, doer.repo, issue), ...more })
    return
  }
  const pullChange = { doer, number: issue.number, action, more }
  for (const family of doer.box.families) await family.onPullChanged?.(pullChange)
}

/** Sends an `issues` event. */
export async function emitIssue(doer: Doer, payload: Readonly<Record<string, unknown>>): Promise<void> {
  await emitBy(doer, 'issues', payload)
}

/** Sends an event of the repository. */
export async function emitBy(
  { box, repo, sender, runId }: Doer,
  name: string,
  payload: Readonly<Record<string, unknown>>,
): Promise<void> {
  await emit(box, { name, payload, repo, sender, ...(runId === undefined ? {} : { runId }) })
}
