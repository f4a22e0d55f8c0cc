import { assertAccess } from '../access/permissions.ts'
import { senderOf } from '../access/sender.ts'
import type { Call, Doer, Family, RepoCall } from '../box.ts'
import { findNumberInNodeId, nodeId } from '../format.ts'
import { editFields } from '../graphql/edit-fields.ts'
import { repositoryObject } from '../graphql/repository-object.ts'
import { ApiError, validationFailed } from '../http/errors.ts'
import type { Fields } from '../http/fields.ts'
import { created, list, noContent, ok, type Reply } from '../http/reply.ts'
import { repoRoute } from '../http/route.ts'
import { emitLabelChange, idsOf, resolveLabels, setLabels } from '../labels/issue-label-routes.ts'
import { labelsOn } from '../labels/labels.ts'
import { assertPullReopenable } from '../pulls/pull-branches.ts'
import { repositories } from '../state/documents.ts'
import type { Store } from '../state/store.ts'
import { emitAssigneeChange, resolveAssignees, setAssignees } from './assignee-routes.ts'
import { comments, commentsOn } from './comments.ts'
import {
  assertBody,
  assertIssue,
  assertIssuesOn,
  assertOwnOrWriter,
  getIssue,
  isActor,
  mayAs,
  notYours,
  WRITE_ISSUE,
} from './issue-access.ts'
import {
  closeIssue,
  doerOf,
  editIssue,
  emitIssue,
  lockIssue,
  reopenIssue,
  touchIssue,
  unlockIssue,
} from './issue-changes.ts'
import { eventsOf, issueEvents } from './issue-events.ts'
import { filterIssues } from './issue-filters.ts'
import { fullIssueView, issueHtmlUrl, issueView } from './issue-view.ts'
import {
  addIssue,
  findIssue,
  findIssueById,
  freshIssue,
  type Issue,
  issuesOf,
  LOCK_REASONS,
  removeIssue,
  STATE_REASONS,
  type StateReason,
} from './issues.ts'

const ISSUES = '/repos/{owner}/{repo}/issues'
const ISSUE = `${ISSUES}/{issue_number}`
const LOCK = { ...WRITE_ISSUE, role: 'write' } as const

/** Issues. These routes also list, read and change pull requests. */
export const issuesFamily: Family = {
  routes: [
    repoRoute(`GET ${ISSUES}`, { issues: 'read' }, listIssues),
    repoRoute(`POST ${ISSUES}`, { needs: { issues: 'write' }, role: 'read' }, create),
    repoRoute(`GET ${ISSUE}`, { issues: 'read' }, (call) => show(call, getIssue(call))),
    repoRoute(`PATCH ${ISSUE}`, WRITE_ISSUE, update),
    repoRoute(`PUT ${ISSUE}/lock`, LOCK, async (call) => {
      const reason = LOCK_REASONS.find((one) => one === call.body.findText('lock_reason'))
      await lockIssue(doerOf(call), getIssue(call), reason ?? null)
      return noContent()
    }),
    repoRoute(`DELETE ${ISSUE}/lock`, LOCK, async (call) => {
      await unlockIssue(doerOf(call), getIssue(call))
      return noContent()
    }),
  ],
  graphql: { repository: { issue: issueObject }, mutations: { deleteIssue } },
}

function show(call: RepoCall, issue: Issue): Reply {
  return ok(fullIssueView(call.box, call.repo, issue))
}

async function listIssues(call: RepoCall): Promise<Reply> {
  const { box, repo } = call
  // A repository with issues disabled still has pull requests.
  const all = issuesOf(box.store, repo.id).filter((one) => repo.features.issues || one.pull !== undefined)
  return await list(call, filterIssues(call, all), (issue) => issueView(box, repo, issue))
}

async function create(call: RepoCall): Promise<Reply> {
  assertIssuesOn(call)
  const doer = doerOf(call)
  const title = readTitle(call.body) ?? ''
  const body = call.body.findText('body') ?? null
  assertBody('Issue', body ?? '')
  // Labels and assignees by others are dropped silently.
  const mayTriage = mayAs(call, 'triage')
  const labels = mayTriage ? idsOf(await resolveLabels(call, 'dropped')) : []
  const assignees = mayTriage ? resolveAssignees(call) : []
  const author = senderOf(call).login
  const issue = addIssue(call.box, call.repo.id, {
    title,
    body,
    author,
    appId: doer.appId,
    labels: [...new Set(labels)],
    assignees: [...new Set(assignees)],
  })
  await emitOpened(doer, issue)
  return created(fullIssueView(call.box, call.repo, issue))
}

// GitHub sends one event for the issue, then one for each label and assignee.
async function emitOpened(doer: Doer, issue: Issue): Promise<void> {
  const { box, repo } = doer
  await emitIssue(doer, { action: 'opened', issue: issueView(box, repo, issue) })
  for (const label of labelsOn(box.store, issue)) await emitLabelChange(doer, issue, 'labeled', label)
  for (const login of issue.assignees) await emitAssigneeChange(doer, issue, 'assigned', login)
}

async function update(call: RepoCall): Promise<Reply> {
  const { body } = call
  let issue = getIssue(call)
  if (!isActor(call, issue.author) && !mayAs(call, 'triage')) throw notYours()
  const doer = doerOf(call)
  issue = await updateText(call, doer, issue)
  if (mayAs(call, 'triage')) {
    if (body.has('labels')) issue = await setLabels(doer, issue, idsOf(await resolveLabels(call, 'dropped')))
    if (body.has('assignees') || body.has('assignee'))
      issue = await setAssignees(doer, issue, resolveAssignees(call))
  }
  return show(call, await updateState(call, doer, issue))
}

async function updateText(call: RepoCall, doer: Doer, issue: Issue): Promise<Issue> {
  const title = readTitle(call.body)
  if (title === undefined && !call.body.has('body')) return issue
  assertOwnOrWriter(call, issue.author)
  const body = call.body.has('body') ? (call.body.findText('body') ?? null) : issue.body
  assertBody('Issue', body ?? '')
  return await editIssue(doer, issue, { title: title ?? issue.title, body })
}

async function updateState(call: RepoCall, doer: Doer, before: Issue): Promise<Issue> {
  const issue = freshIssue(call.box.store, before)
  const state = call.body.findText('state')
  const asked = STATE_REASONS.find((one) => one === call.body.findText('state_reason'))
  if (state === 'open' && issue.state === 'closed') {
    await assertReopenable(call, issue)
    return await reopenIssue(doer, findIssue(call.box.store, call.repo.id, issue.number) ?? issue)
  }
  const reason = readCloseReason(issue, asked)
  if (state === 'closed' && issue.state === 'open') return await closeIssue(doer, issue, reason)
  const renewed = issue.state === 'closed' && asked !== undefined && reason !== issue.stateReason
  return renewed ? touchIssue(call.box, issue, { stateReason: reason }) : issue
}

function readCloseReason(issue: Issue, asked: StateReason | undefined): StateReason | null {
  if (issue.pull !== undefined) return null
  return asked === undefined || asked === 'reopened' ? 'completed' : asked
}

async function assertReopenable(call: RepoCall, issue: Issue): Promise<void> {
  if (issue.pull !== undefined) await assertPullReopenable(call, issue.number)
  // Authors may reopen what they closed, but not what a maintainer closed.
  if (!mayAs(call, 'triage') && !isActor(call, issue.closedBy ?? '')) throw notYours()
}

function readTitle(body: Fields): string | undefined {
  const title = body.findText('title')
  if (title === undefined) return undefined
  if (title.trim() === '') {
    throw validationFailed({ resource: 'Issue', field: 'title', code: 'missing_field' })
  }
  if (title.length <= 256) return title
  const message = 'title is too long (maximum is 256 characters)'
  throw validationFailed({ resource: 'Issue', field: 'title', code: 'custom', message })
}

function issueObject(call: RepoCall, args: Fields) {
  const number = args.number('number')
  const found = findIssue(call.box.store, call.repo.id, number)
  if (found === undefined || found.pull !== undefined) {
    throw new ApiError(404, `Could not resolve to an Issue with the number of ${number}.`)
  }
  // A query only reads, although it is sent by POST.
  const issue = assertIssue({ ...call, method: 'GET' }, found)
  return {
    __typename: 'Issue',
    id: nodeId('I', issue.id),
    databaseId: issue.id,
    number: issue.number,
    title: issue.title,
    body: issue.body ?? '',
    state: issue.state.toUpperCase(),
    url: issueHtmlUrl(call.box, call.repo, issue),
    ...editFields(call, issue.lastEdit),
  }
}

// Only admins can delete an issue, and only by GraphQL. Pull requests cannot be deleted.
async function deleteIssue(call: Call, args: Fields) {
  const { box } = call
  const input = args.findObject('input')
  const nodeId = input?.text('issueId') ?? ''
  const number = findNumberInNodeId('I', nodeId)
  const issue = number === undefined ? undefined : findIssueById(box.store, number)
  const repo = issue === undefined ? undefined : repositories(box.store).find(issue.repositoryId)
  if (issue === undefined || repo === undefined || issue.pull !== undefined) {
    throw new ApiError(404, `Could not resolve to a node with the global id of '${nodeId}'`)
  }
  assertAccess(call.actor, repo, { needs: { issues: 'write' }, role: 'admin' }, true)
  const view = issueView(box, repo, issue)
  removeWithTraces(box.store, issue)
  await emitIssue(doerOf({ ...call, repo }), { action: 'deleted', issue: view })
  return {
    clientMutationId: input?.findText('clientMutationId') ?? null,
    repository: () => repositoryObject(call, repo.owner, repo.name),
  }
}

function removeWithTraces(store: Store, issue: Issue): void {
  for (const comment of commentsOn(store, issue)) comments(store).remove(comment.id)
  for (const event of eventsOf(store, issue.repositoryId)) {
    if (event.number === issue.number) issueEvents(store).remove(event.id)
  }
  removeIssue(store, issue)
}
