import { renderDiff } from '../../git/diffs.ts'
import { senderOf } from '../access/sender.ts'
import type { Family, RepoCall } from '../box.ts'
import { ApiError, notFound } from '../http/errors.ts'
import { content, created, list, noContent, ok, type Reply } from '../http/reply.ts'
import { repoRoute } from '../http/route.ts'
import { assertBody, assertOwnOrWriter, isActor, mayAs, notYours } from '../issues/issue-access.ts'
import { closeIssue, doerOf, editIssue, reopenIssue, touchIssue } from '../issues/issue-changes.ts'
import { addIssue } from '../issues/issues.ts'
import { commitView, fileView } from '../repos/commit-view.ts'
import { findMergeability } from './mergeability.ts'
import { getPull, PULL, READ_PULL, WRITE_PULL } from './pull-access.ts'
import { assertOnly, assertPullReopenable, invalidPull, readTips, refusedPull } from './pull-branches.ts'
import { emitPull, emitPullChange, followBranches, saveTips } from './pull-changes.ts'
import { diffStart, fullPullView, pullCommits, pullFiles, pullView } from './pull-view.ts'
import { findPull, type Pull, type PullRequest, pullsOf, savePull } from './pulls.ts'

const PULLS = '/repos/{owner}/{repo}/pulls'
const MAX_FILES = 3000
const MAX_COMMITS = 250

/** Pull requests between branches of one repository. */
export const pullsFamily: Family = {
  routes: [
    repoRoute(`GET ${PULLS}`, READ_PULL, listPulls),
    repoRoute(`POST ${PULLS}`, { pull_requests: 'write' }, createPull),
    repoRoute(`GET ${PULL}`, READ_PULL, showPull),
    repoRoute(`PATCH ${PULL}`, WRITE_PULL, updatePull),
    repoRoute(`GET ${PULL}/commits`, READ_PULL, listCommitsOf),
    repoRoute(`GET ${PULL}/files`, READ_PULL, listFilesOf),
    repoRoute(`GET ${PULL}/merge`, READ_PULL, (call) => {
      if (getPull(call).pull.merged === null) throw notFound()
      return noContent()
    }),
    repoRoute('GET /repos/{owner}/{repo}/commits/{commit_sha}/pulls', READ_PULL, listForCommit),
  ],
  onRefsMoved: followBranches,
  onPullChanged: emitPullChange,
}

async function listPulls(call: RepoCall): Promise<Reply> {
  const { box, repo, query } = call
  const state = query.findText('state') ?? 'open'
  const [head, base] = [query.findText('head'), query.findText('base')]
  const wanted = pullsOf(box.store, repo.id).filter(
    ({ pull, issue }) =>
      (state === 'all' || issue.state === state) &&
      (head === undefined || head === `${repo.owner}:${pull.head.ref}`) &&
      (base === undefined || base === pull.base.ref),
  )
  const sort = query.findText('sort') ?? 'created'
  const direction = query.findText('direction') ?? (query.has('sort') ? 'asc' : 'desc')
  const sorted = wanted.sort((a, b) => compare(a, b, sort))
  const shown = direction === 'desc' ? sorted.reverse() : sorted
  return await list(call, shown, (pull) => pullView(box, repo, pull))
}

function compare(a: Pull, b: Pull, sort: string): number {
  const byTime = sort === 'updated' ? a.issue.updatedAt.localeCompare(b.issue.updatedAt) : 0
  const byTalk = sort === 'popularity' ? a.issue.comments - b.issue.comments : 0
  return byTime || byTalk || a.pull.number - b.pull.number
}

async function createPull(call: RepoCall): Promise<Reply> {
  const { box, repo, body } = call
  const title = body.findText('title')
  if (title === undefined || title.trim() === '') throw invalidPull('title', 'missing_field')
  const text = body.findText('body') ?? null
  assertBody('Issue', text ?? '')
  const tips = await readTips(call, body.text('head'), body.text('base'))
  // No await from here until it is saved: of two concurrent requests, one must see the other.
  assertOnly(call, tips)
  const draft = body.findFlag('draft') ?? false
  const id = box.store.next('pulls')
  const doer = doerOf(call)
  const issue = addIssue(box, repo.id, {
    title,
    body: text,
    author: senderOf(call).login,
    appId: doer.appId,
    pull: { id, draft, mergedAt: null },
  })
  const { number } = issue
  const row = { id, repositoryId: repo.id, number, draft, merged: null, requestedReviewers: [], ...tips }
  const pull = await saveTips(box, call.git, savePull(box.store, row))
  await emitPull(doer, number, { action: 'opened' })
  return created(await fullPullView(box, repo, { pull, issue }))
}

async function showPull(call: RepoCall): Promise<Reply> {
  const { box, repo, git, media } = call
  const whole = getPull(call)
  if (media === 'diff' || media === 'patch') {
    const range = { from: await diffStart(git, whole.pull), to: whole.pull.head.sha }
    const text = await renderDiff(git.repository, range, media)
    return content(`application/vnd.github.${media}; charset=utf-8`, text)
  }
  return ok(await fullPullView(box, repo, whole, await findMergeability(box, repo, whole)))
}

async function updatePull(call: RepoCall): Promise<Reply> {
  const { box, repo, body } = call
  const { pull, issue } = getPull(call)
  if (!isActor(call, issue.author) && !mayAs(call, 'triage')) throw notYours()
  if (['title', 'body', 'base'].some((field) => body.has(field))) assertOwnOrWriter(call, issue.author)
  const title = body.findText('title') ?? issue.title
  if (title.trim() === '') throw invalidPull('title', 'missing_field')
  const text = body.has('body') ? (body.findText('body') ?? null) : issue.body
  assertBody('Issue', text ?? '')
  const base = body.findText('base') ?? pull.base.ref
  if (base !== pull.base.ref) await retarget(call, pull, base)
  await editIssue(doerOf(call), getPull(call).issue, { title, body: text })
  await updateState(call, getPull(call))
  const whole = findPull(box.store, repo.id, pull.number)
  if (whole === undefined) throw notFound()
  return ok(await fullPullView(box, repo, whole))
}

async function retarget(call: RepoCall, from: PullRequest, to: string): Promise<void> {
  const { box } = call
  const tips = await readTips(call, from.head.ref, to)
  const { pull, issue } = getPull(call)
  if (issue.state === 'closed') throw refusedPull('Cannot change the base branch of a closed pull request.')
  assertOnly(call, tips)
  savePull(box.store, { ...pull, ...tips })
  touchIssue(box, issue, {})
  const changes = { base: { ref: { from: from.base.ref }, sha: { from: from.base.sha } } }
  await emitPull(doerOf(call), pull.number, { action: 'edited', changes })
}

async function updateState(call: RepoCall, { pull, issue }: Pull): Promise<void> {
  const state = call.body.findText('state')
  if (state === 'closed' && issue.state === 'open') await closeIssue(doerOf(call), issue, null)
  if (state !== 'open' || issue.state === 'open') return
  // Authors may reopen what they closed, but not what a maintainer closed.
  if (!mayAs(call, 'triage') && !isActor(call, issue.closedBy ?? '')) throw notYours()
  await assertPullReopenable(call, pull.number)
  await reopenIssue(doerOf(call), getPull(call).issue)
}

async function listCommitsOf(call: RepoCall): Promise<Reply> {
  const ids = await pullCommits(call.git, getPull(call).pull)
  return await list(call, ids.slice(0, MAX_COMMITS), (id) => commitView(call.box, call.repo, call.git, id))
}

async function listFilesOf(call: RepoCall): Promise<Reply> {
  const { pull } = getPull(call)
  const files = await pullFiles(call.git, pull)
  const view = (file: (typeof files)[number]) => fileView(call.box, call.repo, pull.head.sha, file)
  return await list(call, files.slice(0, MAX_FILES), view)
}

async function listForCommit(call: RepoCall): Promise<Reply> {
  const { box, repo, git } = call
  const name = call.path.text('commit_sha')
  const sha = await git.findCommit(name)
  if (sha === undefined) throw new ApiError(422, `No commit found for SHA: ${name}`)
  const found: Pull[] = []
  for (const whole of pullsOf(box.store, repo.id)) {
    const isMerge = whole.pull.merged?.commit === sha
    if (isMerge || (await pullCommits(git, whole.pull)).includes(sha)) found.push(whole)
  }
  return await list(call, found, (pull) => pullView(box, repo, pull))
}
