import { isAncestor, listCommits } from '../../git/history.ts'
import type { Box, Doer, PullChange, RefMoves } from '../box.ts'
import { isoTime } from '../format.ts'
import type { BareRepository } from '../git/bare-repository.ts'
import type { RefMove } from '../git/ref-move.ts'
import { addToTimeline, closeIssue, emitBy, touchIssue } from '../issues/issue-changes.ts'
import { recordEvent } from '../issues/issue-events.ts'
import { fullPullView } from './pull-view.ts'
import { findPull, type PullRequest, pullsOf, savePull } from './pulls.ts'
import { writeHeadRef } from './test-merge.ts'

/** Sends a `pull_request` event with the current pull request. */
export async function emitPull(
  doer: Doer,
  number: number,
  payload: { readonly action: string; readonly [more: string]: unknown },
): Promise<void> {
  const { box, repo } = doer
  const current = findPull(box.store, repo.id, number)
  if (current === undefined) return
  const view = await fullPullView(box, repo, current)
  await emitBy(doer, 'pull_request', { ...payload, number, pull_request: view })
}

/** Sends what the issue routes have changed. */
export async function emitPullChange({ doer, number, action, more }: PullChange): Promise<void> {
  if (action === 'reopened') await refresh(doer, number)
  await emitPull(doer, number, { action, ...more })
}

// Its branches may have moved while it was closed.
async function refresh({ box, repo }: Doer, number: number): Promise<void> {
  const found = findPull(box.store, repo.id, number)
  const git = await box.git.get(repo.id)
  if (found !== undefined) await saveTips(box, git, found.pull)
}

/** Updates a pull request's branch tips. A branch that is gone keeps its last tip. */
export async function saveTips(box: Box, git: BareRepository, pull: PullRequest): Promise<PullRequest> {
  const tip = async ({ ref, sha }: PullRequest['head']) => ({
    ref,
    sha: (await git.find(`refs/heads/${ref}^{commit}`))?.id ?? sha,
  })
  const tips = { head: await tip(pull.head), base: await tip(pull.base) }
  // Read again after the wait: a pull request that was merged in the meantime must not change.
  const current = findPull(box.store, pull.repositoryId, pull.number)?.pull ?? pull
  if (current.merged !== null) return current
  const saved = savePull(box.store, { ...current, ...tips })
  await writeHeadRef(box, saved)
  return saved
}

/** Makes it a draft or ready. Does nothing if it already is. */
export async function setDraft(doer: Doer, number: number, draft: boolean): Promise<void> {
  const { box, repo } = doer
  const found = findPull(box.store, repo.id, number)
  if (found === undefined || found.pull.draft === draft) return
  const { pull, issue } = found
  savePull(box.store, { ...pull, draft })
  const changed = touchIssue(box, issue, { pull: { id: pull.id, mergedAt: null, draft } })
  addToTimeline(doer, changed, draft ? 'convert_to_draft' : 'ready_for_review')
  await emitPull(doer, number, { action: draft ? 'converted_to_draft' : 'ready_for_review' })
}

/** Records the merge and closes it. Does nothing if it was already merged. */
export async function setMerged(
  doer: Doer,
  number: number,
  merge: { readonly commit: string; readonly base: string },
): Promise<void> {
  const { box, repo, sender } = doer
  const found = findPull(box.store, repo.id, number)
  if (found === undefined || found.pull.merged !== null) return
  const { pull, issue } = found
  const at = isoTime(box.now())
  // Keep the base before the merge: the pull request's diff is computed against it forever.
  const base = { ref: pull.base.ref, sha: merge.base }
  savePull(box.store, { ...pull, base, merged: { at, by: sender.login, commit: merge.commit } })
  const marked = touchIssue(box, issue, { pull: { id: pull.id, draft: pull.draft, mergedAt: at } })
  recordEvent(box, marked, {
    event: 'merged',
    actor: sender.login,
    appId: doer.appId,
    commitId: merge.commit,
  })
  await closeIssue(doer, marked, null)
}

/** Follows moved branches: a push to the head, a base that now contains the head, a deleted branch. */
export async function followBranches(box: Box, { repo, moves, ...by }: RefMoves): Promise<void> {
  const doer: Doer = { box, repo, appId: null, ...by }
  for (const move of moves) {
    if (!move.ref.startsWith('refs/heads/')) continue
    const branch = move.ref.slice('refs/heads/'.length)
    const open = pullsOf(box.store, repo.id).filter(({ issue }) => issue.state === 'open')
    for (const { pull } of open.filter(({ pull }) => pull.head.ref === branch)) {
      await followHead(doer, pull, move)
    }
    await followBase(
      doer,
      open.flatMap(({ pull }) => (pull.base.ref === branch ? pull : [])),
      move,
    )
  }
}

async function followHead(doer: Doer, pull: PullRequest, move: RefMove): Promise<void> {
  const { box, repo } = doer
  if (move.after === undefined) {
    await close(doer, pull.number)
    return
  }
  if (move.after === pull.head.sha) return
  const git = await box.git.get(repo.id)
  const moved = await saveTips(box, git, pull)
  const issue = findPull(box.store, repo.id, pull.number)?.issue
  if (issue !== undefined) touchIssue(box, issue, {})
  const range = { before: pull.head.sha, after: moved.head.sha }
  await emitPull(doer, pull.number, { action: 'synchronize', ...range })
  // A head with nothing left to merge is closed, not merged.
  if (await isAncestor(git.repository, moved.head.sha, moved.base.sha)) await close(doer, pull.number)
}

async function followBase(doer: Doer, pulls: readonly PullRequest[], move: RefMove): Promise<void> {
  const { before, after } = move
  if (pulls.length === 0) return
  if (after === undefined) {
    for (const { number } of pulls) await close(doer, number)
    return
  }
  const git = await doer.box.git.get(doer.repo.id)
  const revisions = before === undefined ? [after] : [after, `^${before}`]
  const taken = new Set(await listCommits(git.repository, { revisions }))
  for (const { number, head, base } of pulls) {
    if (taken.has(head.sha)) await setMerged(doer, number, { commit: after, base: before ?? base.sha })
  }
}

async function close(doer: Doer, number: number): Promise<void> {
  const found = findPull(doer.box.store, doer.repo.id, number)
  if (found?.issue.state === 'open') await closeIssue(doer, found.issue, null)
}
