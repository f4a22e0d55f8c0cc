import { diffFiles, type FileDiff } from '../../git/diffs.ts'
import { findMergeBase, listCommits } from '../../git/history.ts'
import type { Box } from '../box.ts'
import { nodeId } from '../format.ts'
import type { BareRepository } from '../git/bare-repository.ts'
import { labelsOn, labelView } from '../labels/labels.ts'
import { authorAssociation, repoApiUrl, repoHtmlUrl, repositoryView } from '../repos/repository-view.ts'
import { reviewCommentsOf } from '../reviews/reviews.ts'
import type { RepositoryDocument } from '../state/documents.ts'
import { loginView } from '../users/user-view.ts'
import { openPullsAt, type Pull, type PullRequest } from './pulls.ts'

/** GitHub's JSON in lists. */
export function pullView(box: Box, repo: RepositoryDocument, { pull, issue }: Pull) {
  const links = pullUrls(box, repo, pull)
  const assignees = issue.assignees.map((login) => loginView(box, login))
  return {
    ...links,
    id: pull.id,
    node_id: nodeId('PR', pull.id),
    number: pull.number,
    state: issue.state,
    locked: issue.locked,
    title: issue.title,
    user: loginView(box, issue.author),
    body: issue.body,
    created_at: issue.createdAt,
    updated_at: issue.updatedAt,
    closed_at: issue.closedAt,
    merged_at: pull.merged?.at ?? null,
    merge_commit_sha: pull.merged?.commit ?? null,
    assignee: assignees[0] ?? null,
    assignees,
    requested_reviewers: pull.requestedReviewers.map((login) => loginView(box, login)),
    requested_teams: [],
    labels: labelsOn(box.store, issue).map((label) => labelView(box, repo, label)),
    milestone: null,
    draft: pull.draft,
    head: tipView(box, repo, pull.head),
    base: tipView(box, repo, pull.base),
    _links: linksView(links),
    author_association: authorAssociation(repo, issue.author),
    auto_merge: null,
    active_lock_reason: issue.lockReason,
  }
}

/** Whether it can be merged. GitHub computes this after answering a change, so most answers say unknown. */
export interface Mergeability {
  readonly mergeable: boolean | null
  readonly state: 'unknown' | 'clean' | 'dirty' | 'draft' | 'unstable'
  readonly commit: string | null
}

const UNKNOWN: Mergeability = { mergeable: null, state: 'unknown', commit: null }

/** The long form, for a single pull request and in webhooks. */
export async function fullPullView(
  box: Box,
  repo: RepositoryDocument,
  whole: Pull,
  known: Mergeability = UNKNOWN,
) {
  const { pull, issue } = whole
  const git = await box.git.get(repo.id)
  const [files, commits] = await Promise.all([pullFiles(git, pull), pullCommits(git, pull)])
  const sum = (count: (file: FileDiff) => number): number =>
    files.reduce((total, file) => total + count(file), 0)
  return {
    ...pullView(box, repo, whole),
    merge_commit_sha: pull.merged?.commit ?? known.commit,
    merged: pull.merged !== null,
    mergeable: known.mergeable,
    rebaseable: known.mergeable,
    mergeable_state: known.state,
    merged_by: pull.merged === null ? null : loginView(box, pull.merged.by),
    comments: issue.comments,
    review_comments: reviewCommentsOf(box.store, pull).length,
    maintainer_can_modify: false,
    commits: commits.length,
    additions: sum((file) => file.additions),
    deletions: sum((file) => file.deletions),
    changed_files: files.length,
  }
}

/** The start of its diff: the last common commit of head and base. */
export async function diffStart(git: BareRepository, { base, head }: PullRequest): Promise<string> {
  return (await findMergeBase(git.repository, base.sha, head.sha)) ?? base.sha
}

export async function pullFiles(git: BareRepository, pull: PullRequest): Promise<FileDiff[]> {
  return await diffFiles(git.repository, await diffStart(git, pull), pull.head.sha)
}

/** Its commits, oldest first. */
export async function pullCommits(git: BareRepository, { base, head }: PullRequest): Promise<string[]> {
  return (await listCommits(git.repository, { revisions: [head.sha, `^${base.sha}`] })).reverse()
}

function tipView(box: Box, repo: RepositoryDocument, tip: PullRequest['head']) {
  return {
    label: `${repo.owner}:${tip.ref}`,
    ref: tip.ref,
    sha: tip.sha,
    user: loginView(box, repo.owner),
    repo: repositoryView(box, repo),
  }
}

function pullUrls(box: Box, repo: RepositoryDocument, pull: PullRequest) {
  const api = repoApiUrl(box, repo)
  const html = `${repoHtmlUrl(box, repo)}/pull/${pull.number}`
  const url = `${api}/pulls/${pull.number}`
  return {
    url,
    html_url: html,
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
    issue_url: `${api}/issues/${pull.number}`,
    commits_url: `${url}/commits`,
    review_comments_url: `${url}/comments`,
    review_comment_url: `${api}/pulls/comments{/number}`,
    comments_url: `${api}/issues/${pull.number}/comments`,
    statuses_url: `${api}/statuses/${pull.head.sha}`,
  }
}

function linksView(urls: ReturnType<typeof pullUrls>) {
  const link = (href: string) => ({ href })
  return {
    self: link(urls.url),
    html: link(urls.html_url),
    issue: link(urls.issue_url),
    comments: link(urls.comments_url),
    review_comments: link(urls.review_comments_url),
    review_comment: link(urls.review_comment_url),
    commits: link(urls.commits_url),
    statuses: link(urls.statuses_url),
  }
}

/** The short form of a commit's open pull requests, in checks and workflow runs. */
export function pullLinks(box: Box, repo: RepositoryDocument, sha: string) {
  return openPullsAt(box.store, repo.id, sha).map((pull) => pullLink(box, repo, pull))
}

function pullLink(box: Box, repo: RepositoryDocument, pull: PullRequest) {
  const url = repoApiUrl(box, repo)
  const short = { id: repo.id, url, name: repo.name }
  return {
    id: pull.id,
    number: pull.number,
    url: `${url}/pulls/${pull.number}`,
    head: { ref: pull.head.ref, sha: pull.head.sha, repo: short },
    base: { ref: pull.base.ref, sha: pull.base.sha, repo: short },
  }
}
