import { listTree } from '../../git/listing.ts'
import { editTree, type TreeEdit } from '../../git/objects/trees.ts'
import type { Family, RepoCall } from '../box.ts'
import type { BareRepository } from '../git/bare-repository.ts'
import { ApiError, notFound } from '../http/errors.ts'
import type { Fields } from '../http/fields.ts'
import { created, ok, type Reply } from '../http/reply.ts'
import { repoRoute } from '../http/route.ts'
import { EMPTY_TREE } from '../repos/commit-view.ts'
import { repoApiUrl } from '../repos/repository-view.ts'
import { assertNotEmpty } from './empty-repository.ts'

/** Git Data: trees. */
export const treesFamily: Family = {
  routes: [
    repoRoute('POST /repos/{owner}/{repo}/git/trees', { contents: 'write' }, createTree),
    repoRoute('GET /repos/{owner}/{repo}/git/trees/{tree_sha}', { contents: 'read' }, getTree),
  ],
}

const MAX_ENTRIES = 100_000
const TYPE_OF_MODE: Readonly<Record<string, string>> = { '040000': 'tree', '160000': 'commit' }

async function createTree(call: RepoCall): Promise<Reply> {
  await assertNotEmpty(call.git)
  const base = await findBase(call)
  const edits = new Map<string, TreeEdit>()
  for (const entry of call.body.objects('tree')) {
    const path = entry.findText('path') ?? ''
    assertPath(path)
    edits.set(path, await readEdit(call.git, base, entry))
  }
  const tree = (await editTree(call.git.objects, base, edits)) ?? (await call.git.objects.write('tree', ''))
  return created(await treeView(call, tree, false))
}

async function findBase(call: RepoCall): Promise<string | undefined> {
  const given = call.body.findText('base_tree')
  if (given === undefined) return undefined
  // As on GitHub, a commit is accepted in place of its tree.
  const tree = /^[0-9a-f]{40}$/.test(given) ? await call.git.find(`${given}^{tree}`) : undefined
  if (tree === undefined) throw new ApiError(422, 'base_tree is not a valid tree oid')
  return tree.id
}

function assertPath(path: string): void {
  const parts = path.split('/')
  if (
    parts.some(
      (part) => ['', '.', '..'].includes(part) || part.toLowerCase() === '.git' || part.includes('\0'),
    )
  ) {
    throw new ApiError(422, 'tree.path contains a malformed path component')
  }
}

async function readEdit(git: BareRepository, base: string | undefined, entry: Fields): Promise<TreeEdit> {
  const path = entry.text('path')
  const text = entry.findText('content')
  const id = entry.findText('sha')
  if (text !== undefined && id !== undefined) {
    throw new ApiError(422, 'Must supply either tree.sha or tree.content, not both.')
  }
  if (entry.raw('sha') === null) {
    if (base === undefined || (await git.find(`${base}:${path}`)) === undefined) {
      throw new ApiError(422, 'GitRPC::BadObjectState')
    }
    return undefined
  }
  const mode = entry.findText('mode') ?? '100644'
  if (text !== undefined) return { mode, id: await git.objects.write('blob', text) }
  if (id === undefined) throw new ApiError(422, 'Must supply tree.sha or tree.content.')
  const type = TYPE_OF_MODE[mode] ?? 'blob'
  // A submodule's commit is in another repository, so it cannot be checked.
  if (type !== 'commit' && (await git.find(id))?.type !== type) {
    throw new ApiError(422, `tree.sha ${id} is not a valid ${type}`)
  }
  return { mode, id }
}

async function getTree(call: RepoCall): Promise<Reply> {
  await assertNotEmpty(call.git)
  const name = call.path.text('tree_sha')
  const commit = await call.git.findCommit(name)
  const tree =
    commit !== undefined
      ? await call.git.find(`${commit}^{tree}`)
      : /^[0-9a-f]{40}$/.test(name)
        ? await call.git.find(`${name}^{tree}`)
        : undefined
  if (tree === undefined && name !== EMPTY_TREE) throw notFound()
  return ok(await treeView(call, tree?.id ?? EMPTY_TREE, call.query.has('recursive')))
}

async function treeView(call: RepoCall, tree: string, recursive: boolean) {
  const api = `${repoApiUrl(call.box, call.repo)}/git`
  const entries = await listTree(call.git.repository, tree, recursive)
  return {
    sha: tree,
    url: `${api}/trees/${tree}`,
    tree: entries.slice(0, MAX_ENTRIES).map(({ path, mode, type, id, size }) => ({
      path,
      mode,
      type,
      sha: id,
      ...(size === undefined ? {} : { size }),
      ...(type === 'commit' ? {} : { url: `${api}/${type}s/${id}` }),
    })),
    truncated: entries.length > MAX_ENTRIES,
  }
}
