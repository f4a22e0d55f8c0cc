import type { FileDiff } from '../../git/diffs.ts'
import { type FullCommit, readFullCommit, type Stamp } from '../../git/objects/commits.ts'
import type { Box } from '../box.ts'
import { isoTime, nodeId } from '../format.ts'
import type { BareRepository } from '../git/bare-repository.ts'
import { isVerified } from '../git/web-signature.ts'
import { type RepositoryDocument, users } from '../state/documents.ts'
import { userView } from '../users/user-view.ts'
import { repoApiUrl, repoHtmlUrl } from './repository-view.ts'

/** The empty tree, which git knows without storing it. */
export const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

/** The verification of an unsigned commit or tag. */
export const UNSIGNED = {
  verified: false,
  reason: 'unsigned',
  signature: null,
  payload: null,
  verified_at: null,
}

function verificationView(box: Box, commit: FullCommit) {
  const { signature, payload } = commit
  if (signature === undefined || payload === undefined) return UNSIGNED
  const verified = isVerified(box, commit)
  const date = isoTime(new Date(commit.committer.seconds * 1000))
  const [reason, verified_at] = verified ? ['valid', date] : ['unknown_key', null]
  return { verified, reason, signature, payload, verified_at }
}

/** GitHub's JSON in the Git Data API. */
export function gitCommitView(box: Box, repo: RepositoryDocument, commit: FullCommit) {
  const api = repoApiUrl(box, repo)
  return {
    sha: commit.id,
    node_id: nodeId('C', `${repo.id}:${commit.id}`),
    url: `${api}/git/commits/${commit.id}`,
    html_url: `${repoHtmlUrl(box, repo)}/commit/${commit.id}`,
    author: stampView(commit.author),
    committer: stampView(commit.committer),
    tree: treeLink(api, commit.tree),
    message: commit.message.trimEnd(),
    parents: commit.parents.map((id) => ({
      sha: id,
      url: `${api}/git/commits/${id}`,
      html_url: `${repoHtmlUrl(box, repo)}/commit/${id}`,
    })),
    verification: verificationView(box, commit),
  }
}

/** GitHub's JSON in commit lists, with users for author and committer where the address is known. */
export async function commitView(box: Box, repo: RepositoryDocument, git: BareRepository, id: string) {
  const commit = await readFullCommit(git.objects, id)
  const api = repoApiUrl(box, repo)
  const html = repoHtmlUrl(box, repo)
  return {
    sha: id,
    node_id: nodeId('C', `${repo.id}:${id}`),
    commit: {
      author: stampView(commit.author),
      committer: stampView(commit.committer),
      message: commit.message.trimEnd(),
      tree: treeLink(api, commit.tree),
      url: `${api}/git/commits/${id}`,
      comment_count: 0,
      verification: verificationView(box, commit),
    },
    url: `${api}/commits/${id}`,
    html_url: `${html}/commit/${id}`,
    comments_url: `${api}/commits/${id}/comments`,
    author: authorView(box, commit.author),
    committer: authorView(box, commit.committer),
    parents: commit.parents.map((parent) => ({
      sha: parent,
      url: `${api}/commits/${parent}`,
      html_url: `${html}/commit/${parent}`,
    })),
  }
}

/** One commit with its files and counts, compared with its first parent. */
export async function detailedCommitView(
  box: Box,
  repo: RepositoryDocument,
  git: BareRepository,
  id: string,
) {
  const view = await commitView(box, repo, git, id)
  const files = await git.diff(view.parents[0]?.sha ?? EMPTY_TREE, id)
  const sum = (count: (file: FileDiff) => number): number =>
    files.reduce((total, file) => total + count(file), 0)
  const additions = sum((file) => file.additions)
  const deletions = sum((file) => file.deletions)
  return {
    ...view,
    stats: { total: additions + deletions, additions, deletions },
    files: files.map((file) => fileView(box, repo, id, file)),
  }
}

/** One changed file of a commit, a comparison or a pull request. */
export function fileView(box: Box, repo: RepositoryDocument, commit: string, file: FileDiff) {
  const path = file.path.split('/').map(encodeURIComponent).join('/')
  const html = repoHtmlUrl(box, repo)
  return {
    sha: file.blob,
    filename: file.path,
    status: file.status,
    additions: file.additions,
    deletions: file.deletions,
    changes: file.additions + file.deletions,
    blob_url: `${html}/blob/${commit}/${path}`,
    raw_url: `${html}/raw/${commit}/${path}`,
    contents_url: `${repoApiUrl(box, repo)}/contents/${path}?ref=${commit}`,
    ...(file.patch === undefined ? {} : { patch: file.patch }),
    ...(file.previousPath === undefined ? {} : { previous_filename: file.previousPath }),
  }
}

/** Name, address and time in UTC. */
export function stampView(stamp: Stamp) {
  return { name: stamp.name, email: stamp.email, date: isoTime(new Date(stamp.seconds * 1000)) }
}

function treeLink(api: string, tree: string) {
  return { sha: tree, url: `${api}/git/trees/${tree}` }
}

function authorView(box: Box, stamp: Stamp) {
  const user = users(box.store)
    .all()
    .find((known) => emailsOf(known.id, known.login, known.email).includes(stamp.email.toLowerCase()))
  return user === undefined ? null : userView(box, user)
}

function emailsOf(id: number, login: string, email: string | null): string[] {
  const hidden = [`${login}@users.noreply.github.com`, noreplyAddress({ id, login })]
  return [...hidden, ...(email === null ? [] : [email])].map((address) => address.toLowerCase())
}

/** The address GitHub gives to a user who hides the real one, and to bots. */
export function noreplyAddress(user: { readonly id: number; readonly login: string }): string {
  return `${user.id}+${user.login}@users.noreply.github.com`
}
