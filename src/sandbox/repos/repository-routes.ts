import { writeFullCommit } from '../../git/objects/commits.ts'
import { editTree } from '../../git/objects/trees.ts'
import { byActor } from '../access/sender.ts'
import type { Box, Call, Family, RepoCall } from '../box.ts'
import { isoTime } from '../format.ts'
import { moveRefs } from '../git/ref-moves.ts'
import { stampOf } from '../git-data/stamps.ts'
import { ApiError, validationFailed } from '../http/errors.ts'
import { noContent, ok, type Reply } from '../http/reply.ts'
import { repoRoute } from '../http/route.ts'
import { type RepositoryDocument, type Role, repositories, type User } from '../state/documents.ts'
import { findRepository } from '../state/lookups.ts'
import { emit } from '../webhooks/emit.ts'
import { EMPTY_TREE } from './commit-view.ts'
import { fullRepositoryView } from './repository-view.ts'

/** Repositories themselves. */
export const repositoriesFamily: Family = {
  routes: [
    repoRoute('GET /repos/{owner}/{repo}', { metadata: 'read' }, (call) => show(call, call.repo)),
    repoRoute('PATCH /repos/{owner}/{repo}', { administration: 'write' }, update),
    repoRoute('DELETE /repos/{owner}/{repo}', { administration: 'write' }, remove),
    repoRoute('GET /repos/{owner}/{repo}/topics', { metadata: 'read' }, (call) =>
      ok({ names: call.repo.topics }),
    ),
    repoRoute('PUT /repos/{owner}/{repo}/topics', { administration: 'write' }, (call) => {
      const names = call.body.findTexts('names') ?? []
      return ok({ names: save(call.box, { ...call.repo, topics: names }).topics })
    }),
    repoRoute('POST /repos/{owner}/{repo}/dispatches', { contents: 'write' }, dispatch),
  ],
}

export interface RepositoryDraft {
  readonly owner: string
  readonly name: string
  readonly private?: boolean
  readonly description?: string
  readonly defaultBranch?: string
  readonly collaborators?: Readonly<Record<string, Role>>
  /** Files of the first commit, by path. Without any, the repository stays empty. */
  readonly files?: Readonly<Record<string, string>>
  readonly sender: User
}

/** Creates a repository, with a first commit if there are files. */
export async function createRepository(box: Box, draft: RepositoryDraft): Promise<RepositoryDocument> {
  if (findRepository(box.store, draft.owner, draft.name) !== undefined) throw nameTaken()
  const id = box.store.next('repositories')
  const now = isoTime(box.now())
  const defaultBranch = draft.defaultBranch ?? 'main'
  await box.git.create(id, defaultBranch)
  const repo = save(box, {
    id,
    owner: draft.owner,
    name: draft.name,
    description: draft.description ?? null,
    homepage: null,
    private: draft.private ?? false,
    archived: false,
    defaultBranch,
    topics: [],
    features: { issues: true, projects: false, wiki: false, discussions: false },
    merging: {
      merge: true,
      squash: true,
      rebase: true,
      auto: false,
      deleteBranch: false,
      updateBranch: false,
    },
    collaborators: draft.collaborators ?? {},
    createdAt: now,
    updatedAt: now,
    pushedAt: now,
  })
  await emit(box, { name: 'repository', payload: { action: 'created' }, repo, sender: draft.sender })
  if (draft.files !== undefined)
    await writeInitialCommit(box, repo, { files: draft.files, sender: draft.sender })
  return repo
}

function save(box: Box, repo: RepositoryDocument): RepositoryDocument {
  return repositories(box.store).put(repo.id, repo)
}

function nameTaken(): ApiError {
  return new ApiError(422, 'Repository creation failed.', {
    errors: [
      {
        resource: 'Repository',
        code: 'custom',
        field: 'name',
        message: 'name already exists on this account',
      },
    ],
  })
}

function show(call: Call, repo: RepositoryDocument): Reply {
  const viewer = call.actor.kind === 'user' ? call.actor.user.login : undefined
  return ok(fullRepositoryView(call.box, repo, viewer))
}

async function update(call: RepoCall): Promise<Reply> {
  const { box, repo, body } = call
  const name = body.findText('name') ?? repo.name
  const branch = body.findText('default_branch') ?? repo.defaultBranch
  if (branch !== repo.defaultBranch) await changeDefaultBranch(call, branch)
  const { features, merging } = repo
  const changed = save(box, {
    ...repo,
    name,
    defaultBranch: branch,
    description: body.has('description') ? (body.findText('description') ?? null) : repo.description,
    homepage: body.has('homepage') ? (body.findText('homepage') ?? null) : repo.homepage,
    private: body.findFlag('private') ?? repo.private,
    archived: body.findFlag('archived') ?? repo.archived,
    features: {
      issues: body.findFlag('has_issues') ?? features.issues,
      projects: body.findFlag('has_projects') ?? features.projects,
      wiki: body.findFlag('has_wiki') ?? features.wiki,
      discussions: features.discussions,
    },
    merging: {
      merge: body.findFlag('allow_merge_commit') ?? merging.merge,
      squash: body.findFlag('allow_squash_merge') ?? merging.squash,
      rebase: body.findFlag('allow_rebase_merge') ?? merging.rebase,
      auto: body.findFlag('allow_auto_merge') ?? merging.auto,
      deleteBranch: body.findFlag('delete_branch_on_merge') ?? merging.deleteBranch,
      updateBranch: body.findFlag('allow_update_branch') ?? merging.updateBranch,
    },
    updatedAt: isoTime(box.now()),
  })
  await emitChanges(call, repo, changed)
  return show(call, changed)
}

async function changeDefaultBranch(call: RepoCall, branch: string): Promise<void> {
  if ((await call.git.find(`refs/heads/${branch}`)) === undefined) {
    throw validationFailed({ resource: 'Repository', field: 'default_branch', code: 'invalid' })
  }
  await call.box.git.setHead(call.repo.id, branch)
}

async function emitChanges(
  call: RepoCall,
  before: RepositoryDocument,
  after: RepositoryDocument,
): Promise<void> {
  const emitEvent = async (payload: Readonly<Record<string, unknown>>): Promise<void> =>
    await emit(call.box, { name: 'repository', payload, repo: after, ...byActor(call) })
  if (before.name !== after.name) {
    await emitEvent({ action: 'renamed', changes: { repository: { name: { from: before.name } } } })
  }
  if (before.archived !== after.archived)
    await emitEvent({ action: after.archived ? 'archived' : 'unarchived' })
  if (before.private !== after.private)
    await emitEvent({ action: after.private ? 'privatized' : 'publicized' })
  const changes = {
    ...(before.defaultBranch === after.defaultBranch
      ? {}
      : { default_branch: { from: before.defaultBranch } }),
    ...(before.description === after.description ? {} : { description: { from: before.description } }),
  }
  if (Object.keys(changes).length > 0) await emitEvent({ action: 'edited', changes })
}

async function remove(call: RepoCall): Promise<Reply> {
  await emit(call.box, {
    name: 'repository',
    payload: { action: 'deleted' },
    repo: call.repo,
    ...byActor(call),
  })
  repositories(call.box.store).remove(call.repo.id)
  await call.box.git.remove(call.repo.id)
  return noContent()
}

/** Writes a repository's first commit. Paths that end with `.sh` are executable. */
async function writeInitialCommit(
  box: Box,
  repo: RepositoryDocument,
  draft: { readonly files: Readonly<Record<string, string>>; readonly sender: User },
): Promise<string> {
  const git = await box.git.get(repo.id)
  const blobs = await Promise.all(
    Object.entries(draft.files).map(async ([path, text]) => {
      const mode = path.endsWith('.sh') ? '100755' : '100644'
      return [path, { mode, id: await git.objects.write('blob', text) }] as const
    }),
  )
  const tree = (await editTree(git.objects, undefined, new Map(blobs))) ?? EMPTY_TREE
  const stamp = stampOf(box, draft.sender)
  const commit = await writeFullCommit(git.objects, {
    tree,
    parents: [],
    author: stamp,
    committer: stamp,
    message: 'Initial commit',
  })
  const update = { ref: `refs/heads/${repo.defaultBranch}`, to: commit, from: 'absent', force: false }
  await moveRefs(box, repo, { updates: [update], mover: { sender: draft.sender, mayChangeWorkflows: true } })
  return commit
}

const MAX_PAYLOAD_CHARACTERS = 65_535

async function dispatch(call: RepoCall): Promise<Reply> {
  const { box, repo, body } = call
  const given = body.findObject('client_payload')?.toJson()
  if (JSON.stringify(given ?? {}).length > MAX_PAYLOAD_CHARACTERS) {
    throw new ApiError(422, 'client_payload is too large.')
  }
  const payload = {
    action: body.text('event_type'),
    branch: repo.defaultBranch,
    client_payload: given ?? null,
  }
  await emit(box, { name: 'repository_dispatch', payload, repo, ...byActor(call) })
  return noContent()
}
