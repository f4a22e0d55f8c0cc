import { senderOf } from '../access/sender.ts'
import type { Family, RepoCall } from '../box.ts'
import { isoTime } from '../format.ts'
import { notFound } from '../http/errors.ts'
import { created, list, noContent, ok, type Reply } from '../http/reply.ts'
import { repoRoute } from '../http/route.ts'
import { comments, commentsOf, commentsOn, commentView, type IssueComment } from './comments.ts'
import {
  assertBody,
  assertIssue,
  assertOwnOrWriter,
  assertUnlocked,
  getIssue,
  READ_ISSUE,
  WRITE_ISSUE,
} from './issue-access.ts'
import { doerOf, emitBy, touchIssue } from './issue-changes.ts'
import { issueView } from './issue-view.ts'
import { findIssue, type Issue } from './issues.ts'

const ISSUES = '/repos/{owner}/{repo}/issues'
const COMMENT = `${ISSUES}/comments/{comment_id}`

/** Comments on issues and pull requests. */
export const commentsFamily: Family = {
  routes: [
    repoRoute(`GET ${ISSUES}/comments`, READ_ISSUE, listAll),
    repoRoute(`GET ${ISSUES}/{issue_number}/comments`, READ_ISSUE, (call) =>
      show(call, since(call, commentsOn(call.box.store, getIssue(call)))),
    ),
    repoRoute(`POST ${ISSUES}/{issue_number}/comments`, WRITE_ISSUE, create),
    repoRoute(`GET ${COMMENT}`, READ_ISSUE, (call) =>
      ok(commentView(call.box, call.repo, getComment(call).comment)),
    ),
    repoRoute(`PATCH ${COMMENT}`, WRITE_ISSUE, update),
    repoRoute(`DELETE ${COMMENT}`, WRITE_ISSUE, remove),
  ],
}

/** The comment named by the path, with its issue, if the actor has access to it. */
export function getComment(call: RepoCall): { readonly comment: IssueComment; readonly issue: Issue } {
  const comment = comments(call.box.store).find(call.path.number('comment_id'))
  if (comment === undefined || comment.repositoryId !== call.repo.id) throw notFound()
  return { comment, issue: assertIssue(call, findIssue(call.box.store, call.repo.id, comment.number)) }
}

async function show(call: RepoCall, found: readonly IssueComment[]): Promise<Reply> {
  return await list(call, found, (comment) => commentView(call.box, call.repo, comment))
}

function since(call: RepoCall, all: readonly IssueComment[]): IssueComment[] {
  const time = Date.parse(call.query.findText('since') ?? '')
  return all.filter((comment) => Number.isNaN(time) || Date.parse(comment.updatedAt) >= time)
}

// `direction` is ignored without `sort`.
async function listAll(call: RepoCall): Promise<Reply> {
  const sort = call.query.findText('sort')
  const found = since(call, commentsOf(call.box.store, call.repo.id))
  const time = (one: IssueComment): number => Date.parse(sort === 'updated' ? one.updatedAt : one.createdAt)
  found.sort((a, b) => time(a) - time(b) || a.id - b.id)
  const isDescending = sort !== undefined && (call.query.findText('direction') ?? 'desc') === 'desc'
  return await show(call, isDescending ? found.reverse() : found)
}

async function create(call: RepoCall): Promise<Reply> {
  const issue = getIssue(call)
  assertUnlocked(call, issue)
  const body = call.body.text('body')
  assertBody('IssueComment', body)
  const id = call.box.store.next('issue-comments')
  const now = isoTime(call.box.now())
  const comment = comments(call.box.store).put(id, {
    id,
    repositoryId: call.repo.id,
    number: issue.number,
    body,
    author: senderOf(call).login,
    appId: doerOf(call).appId,
    reactions: [],
    createdAt: now,
    updatedAt: now,
  })
  const changed = touchIssue(call.box, issue, { comments: issue.comments + 1 })
  await emitEvent(call, changed, comment, { action: 'created' })
  return created(commentView(call.box, call.repo, comment))
}

async function update(call: RepoCall): Promise<Reply> {
  const { comment, issue } = getComment(call)
  assertOwnOrWriter(call, comment.author)
  const body = call.body.text('body')
  assertBody('IssueComment', body)
  if (body === comment.body) return ok(commentView(call.box, call.repo, comment))
  const at = isoTime(call.box.now())
  const lastEdit = { login: senderOf(call).login, at }
  const changed = comments(call.box.store).put(comment.id, { ...comment, body, updatedAt: at, lastEdit })
  const touched = touchIssue(call.box, issue, {})
  await emitEvent(call, touched, changed, { action: 'edited', changes: { body: { from: comment.body } } })
  return ok(commentView(call.box, call.repo, changed))
}

async function remove(call: RepoCall): Promise<Reply> {
  const { comment, issue } = getComment(call)
  assertOwnOrWriter(call, comment.author)
  comments(call.box.store).remove(comment.id)
  const changed = touchIssue(call.box, issue, { comments: issue.comments - 1 })
  await emitEvent(call, changed, comment, { action: 'deleted' })
  return noContent()
}

async function emitEvent(
  call: RepoCall,
  issue: Issue,
  comment: IssueComment,
  payload: Readonly<Record<string, unknown>>,
): Promise<void> {
  await emitBy(doerOf(call), 'issue_comment', {
    ...payload,
    issue: issueView(call.box, call.repo, issue),
    comment: commentView(call.box, call.repo, comment),
  })
}
