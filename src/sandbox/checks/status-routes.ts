import { listRefs } from '../../git/repository.ts'
import { byActor, senderOf } from '../access/sender.ts'
import type { Box, Family, RepoCall } from '../box.ts'
import { isoTime, nodeId } from '../format.ts'
import { type ApiError, notFound, validationFailed } from '../http/errors.ts'
import { created, cutPage, list, ok, type Reply } from '../http/reply.ts'
import { repoRoute } from '../http/route.ts'
import { commitView } from '../repos/commit-view.ts'
import { minimalRepositoryView, repoApiUrl } from '../repos/repository-view.ts'
import type { RepositoryDocument } from '../state/documents.ts'
import { defineTable } from '../state/store.ts'
import { loginView } from '../users/user-view.ts'
import { emit } from '../webhooks/emit.ts'
import { namedCommit } from './check-suite-routes.ts'

/** Commit statuses, the older and simpler kind of check. Anyone who may push can set them. */
export const statusesFamily: Family = {
  routes: [
    repoRoute('POST /repos/{owner}/{repo}/statuses/{sha}', { statuses: 'write' }, createStatus),
    repoRoute('GET /repos/{owner}/{repo}/commits/{ref}/statuses', { statuses: 'read' }, listStatuses),
    repoRoute('GET /repos/{owner}/{repo}/commits/{ref}/status', { statuses: 'read' }, getCombined),
  ],
}

interface CommitStatus {
  readonly id: number
  readonly sha: string
  readonly state: string
  readonly context: string
  readonly description: string | null
  readonly targetUrl: string | null
  readonly creator: string
  readonly createdAt: string
}

/** By repository and commit, oldest first. */
const statuses = defineTable<readonly CommitStatus[]>('commit-statuses')

const MAX_OF_ONE_CONTEXT = 1000
const MAX_DESCRIPTION = 140

function statusesAt(box: Box, repo: RepositoryDocument, sha: string): readonly CommitStatus[] {
  return statuses(box.store).find(`${repo.id}:${sha}`) ?? []
}

async function createStatus(call: RepoCall): Promise<Reply> {
  const { box, repo, body } = call
  const sha = await namedCommit(call, call.path.text('sha'))
  const status: CommitStatus = {
    id: box.store.next('commit-statuses'),
    sha,
    state: body.text('state'),
    context: body.findText('context') ?? 'default',
    description: body.findText('description') ?? null,
    targetUrl: body.findText('target_url') ?? null,
    creator: senderOf(call).login,
    createdAt: isoTime(box.now()),
  }
  assertStatus(call, status)
  statuses(box.store).put(`${repo.id}:${sha}`, [...statusesAt(box, repo, sha), status])
  await emitEvent(call, status)
  return created(fullView(box, repo, status))
}

function assertStatus(call: RepoCall, { description, targetUrl, context, sha }: CommitStatus): void {
  const invalid = (field: string, message: string): ApiError =>
    validationFailed({ resource: 'Status', field, code: 'custom', message })
  if ((description ?? '').length > MAX_DESCRIPTION) {
    throw invalid('description', `description is too long (maximum is ${MAX_DESCRIPTION} characters)`)
  }
  if (targetUrl !== null && !/^https?:\/\//.test(targetUrl)) {
    throw invalid('target_url', 'Target url must use http(s) scheme')
  }
  const same = statusesAt(call.box, call.repo, sha).filter((other) => other.context === context)
  if (same.length >= MAX_OF_ONE_CONTEXT) {
    throw invalid('base', 'This SHA and context has reached the maximum number of statuses.')
  }
}

async function emitEvent(call: RepoCall, status: CommitStatus): Promise<void> {
  const { box, repo, git } = call
  const { target_url, context, description, state, id, created_at, updated_at } = view(box, repo, status)
  const api = repoApiUrl(box, repo)
  const heads = [...(await listRefs(git.repository, 'refs/heads/'))].filter(([, head]) => head === status.sha)
  const payload = {
    ...{ id, sha: status.sha, state, context, description, target_url, created_at, updated_at },
    name: `${repo.owner}/${repo.name}`,
    avatar_url: loginView(box, status.creator).avatar_url,
    commit: await commitView(box, repo, git, status.sha),
    branches: heads.map(([ref, sha]) => ({
      name: ref.slice('refs/heads/'.length),
      commit: { sha, url: `${api}/commits/${sha}` },
      protected: false,
    })),
  }
  await emit(box, { name: 'status', payload, repo, ...byActor(call) })
}

async function listStatuses(call: RepoCall): Promise<Reply> {
  const { box, repo } = call
  const sha = await call.git.findCommit(call.path.text('ref'))
  if (sha === undefined) throw notFound()
  const newestFirst = [...statusesAt(box, repo, sha)].reverse()
  return await list(call, newestFirst, (status) => fullView(box, repo, status))
}

async function getCombined(call: RepoCall): Promise<Reply> {
  const { box, repo } = call
  const sha = await call.git.findCommit(call.path.text('ref'))
  if (sha === undefined) throw notFound()
  const all = latestAt(box, repo, sha)
  const page = cutPage(call, all)
  const api = repoApiUrl(box, repo)
  return {
    ...ok({
      state: all.length === 0 ? 'pending' : combinedState(box, repo, sha),
      statuses: page.items.map((status) => view(box, repo, status)),
      sha,
      total_count: all.length,
      repository: minimalRepositoryView(box, repo),
      commit_url: `${api}/commits/${sha}`,
      url: `${api}/commits/${sha}/status`,
    }),
    headers: page.headers,
  }
}

function latestAt(box: Box, repo: RepositoryDocument, sha: string): CommitStatus[] {
  return [...new Map(statusesAt(box, repo, sha).map((status) => [status.context, status])).values()]
}

/** The combined state of a commit's statuses. GitHub shows `none` as `pending`. */
export function combinedState(
  box: Box,
  repo: RepositoryDocument,
  sha: string,
): 'none' | 'failure' | 'pending' | 'success' {
  const states = latestAt(box, repo, sha).map(({ state }) => state)
  if (states.length === 0) return 'none'
  if (states.includes('failure') || states.includes('error')) return 'failure'
  return states.includes('pending') ? 'pending' : 'success'
}

function view(box: Box, repo: RepositoryDocument, status: CommitStatus) {
  return {
    url: `${repoApiUrl(box, repo)}/statuses/${status.sha}`,
    avatar_url: loginView(box, status.creator).avatar_url,
    id: status.id,
    node_id: nodeId('SC', status.id),
    state: status.state,
    description: status.description,
    target_url: status.targetUrl,
    context: status.context,
    created_at: status.createdAt,
    updated_at: status.createdAt,
  }
}

function fullView(box: Box, repo: RepositoryDocument, status: CommitStatus) {
  return { ...view(box, repo, status), creator: loginView(box, status.creator) }
}
