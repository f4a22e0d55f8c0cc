import { listRefs } from '../../git/repository.ts'
import { moverOf } from '../access/sender.ts'
import type { Family, RepoCall } from '../box.ts'
import { nodeId } from '../format.ts'
import { moveRefs, type RefUpdate, type RefusalReason, WORKFLOWS_REFUSED } from '../git/ref-moves.ts'
import { ApiError, notFound } from '../http/errors.ts'
import { created, list, noContent, ok, type Reply } from '../http/reply.ts'
import { repoRoute } from '../http/route.ts'
import { repoApiUrl } from '../repos/repository-view.ts'
import { assertNotEmpty } from './empty-repository.ts'

/** Git Data: refs of any namespace. */
export const refsFamily: Family = {
  routes: [
    repoRoute('GET /repos/{owner}/{repo}/git/ref/{ref}', { contents: 'read' }, getRef),
    repoRoute('GET /repos/{owner}/{repo}/git/matching-refs/{ref}', { contents: 'read' }, listMatchingRefs),
    repoRoute('POST /repos/{owner}/{repo}/git/refs', { contents: 'write' }, createRef),
    repoRoute('PATCH /repos/{owner}/{repo}/git/refs/{ref}', { contents: 'write' }, updateRef),
    repoRoute('DELETE /repos/{owner}/{repo}/git/refs/{ref}', { contents: 'write' }, deleteRef),
  ],
}

const REFUSALS: Readonly<Record<RefusalReason, readonly [number, string]>> = {
  'already-exists': [422, 'Reference already exists'],
  'does-not-exist': [422, 'Reference does not exist'],
  'no-such-object': [422, 'Object does not exist'],
  'not-a-commit': [422, 'Object is not a commit'],
  'not-a-fast-forward': [422, 'Update is not a fast forward'],
  'name-clash': [422, 'Reference update failed'],
  stale: [409, 'Reference has moved'],
  workflows: [403, WORKFLOWS_REFUSED],
  rules: [422, 'Repository rule violations found'],
}

/** GitHub's error for a refused ref update. */
export function refusal(reason: RefusalReason, violations: readonly string[] = []): ApiError {
  const [status, message] = REFUSALS[reason]
  return new ApiError(status, [message, ...violations].join('\n\n'))
}

/** Moves refs for a call, or throws GitHub's error. */
export async function moveOrRefuse(call: RepoCall, updates: readonly RefUpdate[]): Promise<void> {
  const outcome = await moveRefs(call.box, call.repo, { updates, mover: moverOf(call) })
  if (outcome.status === 'refused') throw refusal(outcome.reason, outcome.violations)
}

async function getRef(call: RepoCall): Promise<Reply> {
  await assertNotEmpty(call.git)
  const ref = `refs/${call.path.text('ref')}`
  const found = await call.git.find(ref)
  if (found === undefined) throw notFound()
  return ok(refView(call, ref, found))
}

async function listMatchingRefs(call: RepoCall): Promise<Reply> {
  const prefix = `refs/${call.path.text('ref')}`
  const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1)
  const all = await listRefs(call.git.repository, folder)
  const matching = [...all].filter(([ref]) => ref.startsWith(prefix))
  return await list(call, matching, async ([ref, id]) => {
    const found = await call.git.find(id)
    return refView(call, ref, { id, type: found?.type ?? 'commit' })
  })
}

async function createRef(call: RepoCall): Promise<Reply> {
  await assertNotEmpty(call.git)
  const ref = call.body.text('ref')
  const to = call.body.text('sha')
  assertName(ref)
  await moveOrRefuse(call, [{ ref, to, from: 'absent', force: false }])
  return created(await freshView(call, ref, to))
}

async function updateRef(call: RepoCall): Promise<Reply> {
  const ref = `refs/${call.path.text('ref')}`
  const to = call.body.text('sha')
  if ((await call.git.find(ref)) === undefined) throw refusal('does-not-exist')
  await moveOrRefuse(call, [{ ref, to, force: call.body.findFlag('force') ?? false }])
  return ok(await freshView(call, ref, to))
}

async function deleteRef(call: RepoCall): Promise<Reply> {
  const ref = `refs/${call.path.text('ref')}`
  if (ref === `refs/heads/${call.repo.defaultBranch}`)
    throw new ApiError(422, 'Cannot delete the default branch')
  await moveOrRefuse(call, [{ ref, to: undefined, force: true }])
  return noContent()
}

/** Requires a full ref name. `refs/pull` is reserved, and a branch may not look like a full name or an id. */
export function assertName(ref: string): void {
  if (!/^refs\/[^/]+\/./.test(ref)) {
    throw new ApiError(422, "Reference name must start with 'refs/' and have at least two slashes.")
  }
  const bad = /[\0-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|\/\.|\.lock(\/|$)|[./]$/.test(ref)
  const reserved = /^refs\/(pull\/|heads\/refs\/|heads\/[0-9a-f]{40}$)/.test(ref)
  if (bad || reserved) throw new ApiError(422, `${ref} is not a valid ref name.`)
}

async function freshView(call: RepoCall, ref: string, id: string) {
  const found = await call.git.find(id)
  return refView(call, ref, { id, type: found?.type ?? 'commit' })
}

function refView(call: RepoCall, ref: string, object: { readonly id: string; readonly type: string }) {
  const api = `${repoApiUrl(call.box, call.repo)}/git`
  return {
    ref,
    node_id: nodeId('REF', `${call.repo.id}:${ref}`),
    url: `${api}/${ref.split('/').map(encodeURIComponent).join('/')}`,
    object: { type: object.type, sha: object.id, url: `${api}/${object.type}s/${object.id}` },
  }
}
