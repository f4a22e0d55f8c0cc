import { mergeTrees } from '../../git/history.ts'
import { readFullCommit, type Stamp, writeFullCommit } from '../../git/objects/commits.ts'
import { moverOf, senderOf } from '../access/sender.ts'
import type { Family, RepoCall } from '../box.ts'
import type { BareRepository } from '../git/bare-repository.ts'
import { moveRefs } from '../git/ref-moves.ts'
import { signAsBox } from '../git/web-signature.ts'
import { moveOrRefuse, refusal } from '../git-data/ref-routes.ts'
import { stampOf } from '../git-data/stamps.ts'
import { ApiError } from '../http/errors.ts'
import { ok, type Reply } from '../http/reply.ts'
import { repoRoute } from '../http/route.ts'
import { doerOf } from '../issues/issue-changes.ts'
import { repoApiUrl } from '../repos/repository-view.ts'
import { getPull, PULL } from './pull-access.ts'
import { setMerged } from './pull-changes.ts'
import { pullCommits } from './pull-view.ts'
import type { Pull, PullRequest } from './pulls.ts'
import { type TestMerge, testMerge } from './test-merge.ts'

/** Merges a pull request, or updates it with its base. */
export const pullMergeFamily: Family = {
  routes: [
    repoRoute(`PUT ${PULL}/merge`, { contents: 'write' }, mergePull),
    repoRoute(`PUT ${PULL}/update-branch`, { pull_requests: 'write' }, updateBranch),
  ],
}

type Clean = Extract<TestMerge, { status: 'clean' }>
type Method = 'merge' | 'squash' | 'rebase'

async function mergePull(call: RepoCall): Promise<Reply> {
  const whole = getPull(call)
  const { pull } = whole
  const method = readMethod(call)
  assertMergeable(call, whole, method)
  const test = await testMerge(call.box, call.repo, pull)
  if (test.status !== 'clean') throw notMergeable()
  const commit = await writeMerge(call, whole, { method, test })
  // The base must not have moved since the merge was made, or newer commits would be lost.
  const target = { ref: `refs/heads/${pull.base.ref}`, to: commit, from: test.base }
  const update = { ...target, force: false, pullHead: pull.head.sha }
  const moved = await moveRefs(call.box, call.repo, { updates: [update], mover: moverOf(call) })
  if (moved.status === 'refused') {
    const refused = refusal(moved.reason, moved.violations)
    if (moved.reason === 'rules') throw new ApiError(405, refused.message)
    if (moved.reason !== 'stale') throw refused
    throw new ApiError(405, 'Base branch was modified. Review and try the merge again.')
  }
  await setMerged(doerOf(call), pull.number, { commit, base: test.base })
  if (call.repo.merging.deleteBranch) await deleteHead(call, pull)
  return ok({ sha: commit, merged: true, message: 'Pull Request successfully merged' })
}

function readMethod(call: RepoCall): Method {
  const asked = call.body.findText('merge_method')
  return asked === 'squash' || asked === 'rebase' ? asked : 'merge'
}

const NOT_ALLOWED: Readonly<Record<Method, string>> = {
  merge: 'Merge commits are not allowed on this repository.',
  squash: 'Squash merges are not allowed on this repository.',
  rebase: 'Rebase merges are not allowed on this repository.',
}

function assertMergeable(call: RepoCall, { pull, issue }: Pull, method: Method): void {
  if (issue.state === 'closed') throw notMergeable()
  if (pull.draft) throw new ApiError(405, 'Pull Request is still a draft')
  if (!call.repo.merging[method]) throw new ApiError(405, NOT_ALLOWED[method])
  const expected = call.body.findText('sha')
  if (expected !== undefined && expected !== pull.head.sha) {
    throw new ApiError(409, 'Head branch was modified. Review and try the merge again.')
  }
}

function notMergeable(): ApiError {
  return new ApiError(405, 'Pull Request is not mergeable')
}

async function writeMerge(
  call: RepoCall,
  whole: Pull,
  { method, test }: { readonly method: Method; readonly test: Clean },
): Promise<string> {
  const { git } = call
  const { pull } = whole
  const stamp = stampOf(call.box, senderOf(call))
  if (method === 'rebase') {
    const commits = await pullCommits(git, { ...pull, base: { ...pull.base, sha: test.base } })
    const tip = await replay(git, commits, test.base, stamp)
    if (tip === undefined) throw new ApiError(405, "This branch can't be rebased")
    return tip
  }
  const parents = method === 'merge' ? [test.base, pull.head.sha] : [test.base]
  const message = await renderMessage(call, whole, method)
  const draft = { tree: test.tree, parents, message, author: stamp, committer: stamp }
  return await writeFullCommit(git.objects, draft, signAsBox(call.box))
}

async function renderMessage(call: RepoCall, whole: Pull, method: 'merge' | 'squash'): Promise<string> {
  const { pull, issue } = whole
  const own = `Merge pull request #${pull.number} from ${call.repo.owner}/${pull.head.ref}`
  const title = method === 'merge' ? own : `${issue.title} (#${pull.number})`
  const body = method === 'merge' ? issue.title : await renderSquashed(call, pull)
  const head = call.body.findText('commit_title') ?? title
  const rest = call.body.findText('commit_message') ?? body
  return rest === '' ? `${head}\n` : `${head}\n\n${rest}\n`
}

// A single commit gives its own body. Several are listed.
async function renderSquashed({ git }: RepoCall, pull: PullRequest): Promise<string> {
  const ids = await pullCommits(git, pull)
  const messages = await Promise.all(
    ids.map(async (id) => (await readFullCommit(git.objects, id)).message.trim()),
  )
  const [only = ''] = messages
  if (messages.length === 1) return only.split('\n').slice(1).join('\n').trim()
  return messages.map((message) => `* ${message}`).join('\n\n')
}

async function deleteHead(call: RepoCall, pull: PullRequest): Promise<void> {
  const update = { ref: `refs/heads/${pull.head.ref}`, to: undefined, from: pull.head.sha, force: true }
  const moved = await moveRefs(call.box, call.repo, { updates: [update], mover: moverOf(call) })
  // Leave the branch if somebody pushed to it or removed it, or if a rule protects it.
  if (moved.status === 'refused' && moved.reason !== 'stale' && moved.reason !== 'rules')
    throw refusal(moved.reason)
}

async function updateBranch(call: RepoCall): Promise<Reply> {
  const { git, repo, box } = call
  const { pull, issue } = getPull(call)
  const expected = call.body.findText('expected_head_sha')
  if (expected !== undefined && expected !== pull.head.sha) {
    throw new ApiError(422, "expected head sha didn't match current head ref.")
  }
  const base = (await git.find(`refs/heads/${pull.base.ref}^{commit}`))?.id
  if (base === undefined || issue.state === 'closed') throw new ApiError(422, 'Pull request is closed.')
  const merged = await mergeTrees(git.repository, pull.head.sha, base)
  if (merged.status === 'conflict') throw new ApiError(422, 'merge conflict between base and head')
  const stamp = stampOf(box, senderOf(call))
  const commit = await writeFullCommit(git.objects, {
    tree: merged.tree,
    parents: [pull.head.sha, base],
    message: `Merge branch '${pull.base.ref}' into ${pull.head.ref}\n`,
    author: stamp,
    committer: stamp,
  })
  const ref = `refs/heads/${pull.head.ref}`
  await moveOrRefuse(call, [{ ref, to: commit, from: pull.head.sha, force: false }])
  const url = `${repoApiUrl(box, repo)}/pulls/${pull.number}`
  return { status: 202, json: { message: 'Updating pull request branch.', url } }
}

/** Rebases commits, oldest first, onto another one. Undefined on conflict. */
async function replay(
  git: BareRepository,
  commits: readonly string[],
  onto: string,
  committer: Stamp,
): Promise<string | undefined> {
  let tip = onto
  for (const id of commits) {
    const commit = await readFullCommit(git.objects, id)
    // A merge commit has no changes of its own.
    if (commit.parents.length > 1) continue
    const { tree } = await readFullCommit(git.objects, tip)
    // A sibling of the original with our tree has the original's parent as merge base. Merging the two applies
    // exactly what the original changed.
    const beside = await writeFullCommit(git.objects, {
      tree,
      parents: commit.parents,
      message: 'beside',
      author: committer,
      committer,
    })
    const merged = await mergeTrees(git.repository, beside, id)
    if (merged.status === 'conflict') return undefined
    const { author, message } = commit
    const draft = { tree: merged.tree, parents: [tip], author, committer, message }
    tip = await writeFullCommit(git.objects, draft)
  }
  return tip
}
