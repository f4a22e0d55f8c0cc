import { diffFiles } from '../../git/diffs.ts'
import { listCommits } from '../../git/history.ts'
import { readFullCommit } from '../../git/objects/commits.ts'
import type { Box } from '../box.ts'
import type { BareRepository } from '../git/bare-repository.ts'
import type { RefMove } from '../git/ref-move.ts'
import { EMPTY_TREE, noreplyAddress, stampView } from '../repos/commit-view.ts'
import { repoHtmlUrl } from '../repos/repository-view.ts'
import { type RepositoryDocument, type User, users } from '../state/documents.ts'
import { emit } from './emit.ts'

const ZERO = '0'.repeat(40)
// GitHub's limit of commits in a push event.
const MAX_COMMITS = 2048

interface By {
  readonly sender: User
  readonly runId?: number
}

/** Sends `create`, `delete` and `push` for a branch or tag. As on GitHub, other refs send nothing. */
export async function emitRefEvents(
  box: Box,
  repo: RepositoryDocument,
  move: RefMove,
  by: By,
): Promise<void> {
  const kind = move.ref.startsWith('refs/heads/')
    ? 'branch'
    : move.ref.startsWith('refs/tags/')
      ? 'tag'
      : undefined
  if (kind === undefined) return
  const name = move.ref.replace(/^refs\/(heads|tags)\//, '')
  const common = { repo, ...by }
  if (move.before === undefined) {
    const payload = {
      ref: name,
      ref_type: kind,
      full_ref: move.ref,
      master_branch: repo.defaultBranch,
      description: repo.description,
      pusher_type: 'user',
    }
    await emit(box, { name: 'create', payload, ...common })
  }
  await emit(box, { name: 'push', payload: await pushPayload(box, repo, move, by.sender), ...common })
  if (move.after === undefined) {
    const payload = { ref: name, ref_type: kind, full_ref: move.ref, pusher_type: 'user' }
    await emit(box, { name: 'delete', payload, ...common })
  }
}

async function pushPayload(box: Box, repo: RepositoryDocument, move: RefMove, sender: User) {
  const git = await box.git.get(repo.id)
  const html = repoHtmlUrl(box, repo)
  const head = move.after === undefined ? undefined : (await git.find(`${move.after}^{commit}`))?.id
  const commits = head === undefined ? [] : await newCommits(git, repo, move, head)
  return {
    ref: move.ref,
    before: move.before ?? ZERO,
    after: move.after ?? ZERO,
    created: move.before === undefined,
    deleted: move.after === undefined,
    forced: move.forced,
    base_ref: null,
    compare: compareUrl(html, move),
    commits: await Promise.all(commits.map((id) => pushedCommit(box, repo, git, id))),
    head_commit: head === undefined ? null : await pushedCommit(box, repo, git, head),
    pusher: { name: sender.login, email: sender.email ?? noreplyAddress(sender) },
  }
}

// A new branch lists what the default branch does not have. Oldest first, as on GitHub.
async function newCommits(git: BareRepository, repo: RepositoryDocument, move: RefMove, head: string) {
  const known = move.before ?? (await git.find(`refs/heads/${repo.defaultBranch}`))?.id
  const without = known === undefined || known === head ? [] : [`^${known}`]
  const listed = await listCommits(git.repository, { revisions: [head, ...without], limit: MAX_COMMITS })
  return known === head && move.before === undefined && move.ref !== `refs/heads/${repo.defaultBranch}`
    ? []
    : listed.reverse()
}

function compareUrl(html: string, move: RefMove): string {
  if (move.before !== undefined && move.after !== undefined) {
    return `${html}/compare/${move.before.slice(0, 12)}...${move.after.slice(0, 12)}`
  }
  return `${html}/compare/${encodeURIComponent(move.ref.replace(/^refs\/(heads|tags)\//, ''))}`
}

async function pushedCommit(box: Box, repo: RepositoryDocument, git: BareRepository, id: string) {
  const commit = await readFullCommit(git.objects, id)
  const files = await diffFiles(git.repository, commit.parents[0] ?? EMPTY_TREE, id)
  const paths = (status: string): string[] =>
    files.filter((file) => file.status === status).map((file) => file.path)
  const person = (stamp: typeof commit.author) => {
    const { name, email, date } = stampView(stamp)
    const user = users(box.store)
      .all()
      .find((known) => email === (known.email ?? noreplyAddress(known)))
    return { name, email, date, ...(user === undefined ? {} : { username: user.login }) }
  }
  return {
    id,
    tree_id: commit.tree,
    distinct: true,
    message: commit.message.trimEnd(),
    timestamp: stampView(commit.committer).date,
    url: `${repoHtmlUrl(box, repo)}/commit/${id}`,
    author: person(commit.author),
    committer: person(commit.committer),
    added: paths('added'),
    removed: [...paths('removed'), ...files.flatMap((file) => file.previousPath ?? [])],
    modified: [...paths('modified'), ...paths('changed'), ...paths('renamed')],
  }
}
