import { type ListedEntry, listTree } from '../../git/listing.ts'
import { writeFullCommit } from '../../git/objects/commits.ts'
import { editTree, type TreeEdit } from '../../git/objects/trees.ts'
import { moverOf } from '../access/sender.ts'
import type { Family, RepoCall } from '../box.ts'
import { moveRefs } from '../git/ref-moves.ts'
import { isEmpty } from '../git-data/empty-repository.ts'
import { refusal } from '../git-data/ref-routes.ts'
import { signerOf, stampsOf } from '../git-data/stamps.ts'
import { decodeBase64 } from '../http/base64.ts'
import { ApiError, notFound } from '../http/errors.ts'
import { content, ok, type Reply } from '../http/reply.ts'
import { repoRoute } from '../http/route.ts'
import { EMPTY_TREE } from './commit-view.ts'
import { contentView, contentWriteView, folderEntryView } from './content-view.ts'

/** Files by path. */
export const contentsFamily: Family = {
  routes: [
    repoRoute('GET /repos/{owner}/{repo}/contents/{path}', { contents: 'read' }, getContents),
    repoRoute('PUT /repos/{owner}/{repo}/contents/{path}', { contents: 'write' }, putFile),
    repoRoute('DELETE /repos/{owner}/{repo}/contents/{path}', { contents: 'write' }, deleteFile),
    repoRoute('GET /repos/{owner}/{repo}/readme', { contents: 'read' }, getReadme),
  ],
}

async function getContents(call: RepoCall): Promise<Reply> {
  const ref = call.query.findText('ref') ?? call.repo.defaultBranch
  const commit = await call.git.findCommit(ref)
  if (commit === undefined) {
    const isNew = await isEmpty(call.git)
    throw new ApiError(404, isNew ? 'This repository is empty.' : `No commit found for the ref ${ref}`)
  }
  const path = readPath(call)
  const found = await call.git.find(path === '' ? `${commit}^{tree}` : `${commit}:${path}`)
  if (found === undefined) throw notFound()
  const at = { path, ref }
  if (found.type === 'tree') {
    const entries = await listTree(call.git.repository, found.id, false)
    const views = entries.map((entry) =>
      folderEntryView(call, { ...at, path: join(path, entry.path) }, entry),
    )
    // The object form wraps a folder. Without it, GitHub shows at most 1,000 entries.
    return ok(call.media === 'object' ? objectFolder(call, at, found.id, views) : views.slice(0, 1000))
  }
  const bytes = await call.git.objects.get(found.id, 'blob')
  if (call.media === 'raw') return content('application/vnd.github.raw; charset=utf-8', bytes)
  return ok(contentView(call, at, { id: found.id, bytes }))
}

function objectFolder(
  call: RepoCall,
  at: { path: string; ref: string },
  id: string,
  entries: readonly unknown[],
) {
  const folder: ListedEntry = { mode: '040000', type: 'tree', id, size: undefined, path: at.path }
  return { ...folderEntryView(call, at, folder), entries }
}

async function getReadme(call: RepoCall): Promise<Reply> {
  const ref = call.query.findText('ref') ?? call.repo.defaultBranch
  const commit = await call.git.findCommit(ref)
  if (commit === undefined) throw notFound()
  const entries = await listTree(call.git.repository, commit, false)
  const readme = entries.find((entry) => entry.type === 'blob' && /^readme(\.\w+)?$/i.test(entry.path))
  if (readme === undefined) throw notFound()
  const bytes = await call.git.objects.get(readme.id, 'blob')
  if (call.media === 'raw') return content('application/vnd.github.raw; charset=utf-8', bytes)
  return ok(contentView(call, { path: readme.path, ref }, { id: readme.id, bytes }))
}

async function putFile(call: RepoCall): Promise<Reply> {
  const path = readPath(call)
  const bytes = decodeBase64(call.body.text('content'))
  const head = await branchHead(call)
  const existing = head === undefined ? undefined : await call.git.find(`${head}:${path}`)
  if (existing?.type === 'tree') throw new ApiError(422, `${path} is a directory`)
  if (existing !== undefined) assertSha(path, existing.id, call.body.findText('sha'))
  const id = await call.git.objects.write('blob', bytes)
  const commit = await commitEdit(call, head, [path, { mode: await modeOf(call, head, path), id }])
  const view = await contentWriteView(call, { path, commit, branch: branchOf(call), blob: { id, bytes } })
  return { status: existing === undefined ? 201 : 200, json: view }
}

async function deleteFile(call: RepoCall): Promise<Reply> {
  const path = readPath(call)
  const head = await branchHead(call)
  const existing = head === undefined ? undefined : await call.git.find(`${head}:${path}`)
  if (existing === undefined) throw notFound()
  // A client may send the fields in the query instead of a body.
  assertSha(path, existing.id, call.body.findText('sha') ?? call.query.findText('sha'))
  const commit = await commitEdit(call, head, [path, undefined])
  return ok(await contentWriteView(call, { path, commit, branch: branchOf(call), blob: undefined }))
}

function branchOf(call: RepoCall): string {
  return call.body.findText('branch') ?? call.query.findText('branch') ?? call.repo.defaultBranch
}

async function branchHead(call: RepoCall): Promise<string | undefined> {
  const branch = branchOf(call)
  const head = await call.git.find(`refs/heads/${branch}^{commit}`)
  if (head === undefined && !(await isEmpty(call.git))) throw new ApiError(404, `Branch ${branch} not found`)
  return head?.id
}

function assertSha(path: string, actual: string, given: string | undefined): void {
  if (given === undefined) throw new ApiError(422, 'Invalid request.\n\n"sha" wasn\'t supplied.')
  if (given !== actual) throw new ApiError(409, `${path} does not match ${given}`)
}

async function modeOf(call: RepoCall, head: string | undefined, path: string): Promise<string> {
  if (head === undefined) return '100644'
  const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : ''
  const tree = await call.git.find(`${head}:${folder}`)
  if (tree?.type !== 'tree') return '100644'
  const entries = await listTree(call.git.repository, tree.id, false)
  return entries.find((entry) => join(folder, entry.path) === path)?.mode ?? '100644'
}

async function commitEdit(
  call: RepoCall,
  head: string | undefined,
  edit: [string, TreeEdit],
): Promise<string> {
  const base = head === undefined ? undefined : (await call.git.find(`${head}^{tree}`))?.id
  const tree = (await editTree(call.git.objects, base, new Map([edit]))) ?? EMPTY_TREE
  const message = call.body.findText('message') ?? call.query.findText('message') ?? `Update ${edit[0]}`
  const draft = { tree, parents: head === undefined ? [] : [head], message, ...stampsOf(call) }
  const commit = await writeFullCommit(call.git.objects, draft, signerOf(call))
  const update = { ref: `refs/heads/${branchOf(call)}`, to: commit, from: head ?? 'absent', force: false }
  const outcome = await moveRefs(call.box, call.repo, { updates: [update], mover: moverOf(call) })
  if (outcome.status === 'moved') return commit
  const refused = refusal(outcome.reason, outcome.violations)
  if (outcome.reason === 'rules') throw new ApiError(409, refused.message)
  if (outcome.reason !== 'stale' && outcome.reason !== 'already-exists') throw refused
  const now = await call.git.find(update.ref)
  throw new ApiError(409, `is at ${now?.id} but expected ${head}`)
}

function readPath(call: RepoCall): string {
  const path = (call.path.findText('path') ?? '').replace(/^\/+|\/+$/g, '')
  if (path.split('/').some((part) => part === '..' || part === '.' || part.toLowerCase() === '.git')) {
    throw new ApiError(422, 'path contains a malformed path component')
  }
  return path
}

function join(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}
