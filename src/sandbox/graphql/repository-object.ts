import { listTree } from '../../git/listing.ts'
import { readFullCommit } from '../../git/objects/commits.ts'
import { listRefs } from '../../git/repository.ts'
import { assertAccess } from '../access/permissions.ts'
import type { Call, RepoCall } from '../box.ts'
import { nodeId } from '../format.ts'
import { isEmpty } from '../git-data/empty-repository.ts'
import { ApiError } from '../http/errors.ts'
import { Fields } from '../http/fields.ts'
import { stampView } from '../repos/commit-view.ts'
import { repoHtmlUrl } from '../repos/repository-view.ts'
import { findRepository, getUser } from '../state/lookups.ts'

/** The type Repository. Fields are functions, so only queried fields are read. */
export async function repositoryObject(call: Call, owner: string, name: string) {
  const repo = findRepository(call.box.store, owner, name)
  const missing = new ApiError(404, `Could not resolve to a Repository with the name '${owner}/${name}'.`)
  if (repo === undefined) throw missing
  try {
    assertAccess(call.actor, repo, { needs: { metadata: 'read' } }, false)
  } catch (error) {
    throw error instanceof ApiError && error.status === 404 ? missing : error
  }
  const repoCall: RepoCall = { ...call, repo, git: await call.box.git.get(repo.id) }
  return {
    __typename: 'Repository',
    id: nodeId('R', repo.id),
    databaseId: repo.id,
    name: repo.name,
    nameWithOwner: `${repo.owner}/${repo.name}`,
    isPrivate: repo.private,
    isArchived: repo.archived,
    url: repoHtmlUrl(call.box, repo),
    isEmpty: () => isEmpty(repoCall.git),
    owner: () => {
      const { id, login, type } = getUser(call.box.store, repo.owner)
      return { __typename: type, id: nodeId('U', id), databaseId: id, login }
    },
    defaultBranchRef: () => refObject(repoCall, `refs/heads/${repo.defaultBranch}`),
    ref: (args: unknown) => refObject(repoCall, qualify(new Fields(args).text('qualifiedName'))),
    refs: (args: unknown) => refConnection(repoCall, new Fields(args)),
    object: (args: unknown) => {
      const fields = new Fields(args)
      return gitObject(repoCall, fields.findText('oid') ?? fields.findText('expression') ?? 'HEAD')
    },
    ...familyFields(repoCall),
  }
}

function familyFields(call: RepoCall): Record<string, (args: unknown) => unknown> {
  const added = call.box.families.flatMap((family) => Object.entries(family.graphql?.repository ?? {}))
  return Object.fromEntries(added.map(([name, resolve]) => [name, (args) => resolve(call, new Fields(args))]))
}

function qualify(name: string): string {
  return name.startsWith('refs/') ? name : `refs/heads/${name}`
}

/** The type Ref, or null. */
export async function refObject(call: RepoCall, ref: string) {
  const found = await call.git.find(ref)
  if (found === undefined) return null
  const prefix = /^refs\/[^/]+\//.exec(ref)?.[0] ?? 'refs/'
  return {
    __typename: 'Ref',
    id: nodeId('REF', `${call.repo.id}:${ref}`),
    name: ref.slice(prefix.length),
    prefix,
    target: () => gitObject(call, found.id),
  }
}

async function refConnection(call: RepoCall, args: Fields) {
  const all = [...(await listRefs(call.git.repository, args.text('refPrefix'))).keys()]
  const after = args.findText('after')
  const rest = after === undefined ? all : all.slice(all.indexOf(after) + 1)
  const page = rest.slice(0, Math.min(args.findNumber('first') ?? 100, 100))
  return {
    totalCount: all.length,
    nodes: page.map((ref) => refObject(call, ref)),
    pageInfo: {
      hasNextPage: rest.length > page.length,
      hasPreviousPage: rest.length < all.length,
      startCursor: page[0] ?? null,
      endCursor: page.at(-1) ?? null,
    },
  }
}

/** A commit, tree, blob or tag by id or expression, or null. */
export async function gitObject(call: RepoCall, expression: string): Promise<unknown> {
  const found = await call.git.find(expression)
  if (found === undefined) return null
  const { id: oid, type, size } = found
  const id = nodeId('G', `${call.repo.id}:${oid}`)
  if (type === 'commit') return await commitObject(call, oid)
  if (type === 'tree') {
    const entries = async () =>
      (await listTree(call.git.repository, oid, false)).map((entry) => ({
        mode: Number.parseInt(entry.mode, 8),
        name: entry.path,
        path: entry.path,
        oid: entry.id,
        type: entry.type,
        object: () => gitObject(call, entry.id),
      }))
    return { __typename: 'Tree', id, oid, entries }
  }
  const bytes = async (): Promise<Buffer> => await call.git.objects.get(oid, 'blob')
  const isBinary = async (): Promise<boolean> => (await bytes()).includes(0)
  const text = async () => ((await isBinary()) ? null : (await bytes()).toString('utf8'))
  return { __typename: 'Blob', id, oid, byteSize: size, isBinary, text }
}

async function commitObject(call: RepoCall, oid: string) {
  const commit = await readFullCommit(call.git.objects, oid)
  return {
    __typename: 'Commit',
    id: nodeId('C', `${call.repo.id}:${oid}`),
    oid,
    message: commit.message.trimEnd(),
    messageHeadline: commit.message.split('\n')[0] ?? '',
    committedDate: stampView(commit.committer).date,
    url: `${repoHtmlUrl(call.box, call.repo)}/commit/${oid}`,
    tree: () => gitObject(call, commit.tree),
    parents: () => ({
      totalCount: commit.parents.length,
      nodes: commit.parents.map((parent) => gitObject(call, parent)),
    }),
  }
}
