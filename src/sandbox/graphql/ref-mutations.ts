import { writeFullCommit } from '../../git/objects/commits.ts'
import { editTree, type TreeEdit } from '../../git/objects/trees.ts'
import { assertAccess } from '../access/permissions.ts'
import { moverOf, senderOf } from '../access/sender.ts'
import type { Call, RepoCall } from '../box.ts'
import { findNumberInNodeId } from '../format.ts'
import { moveRefs, type RefUpdate } from '../git/ref-moves.ts'
import { signAsBox } from '../git/web-signature.ts'
import { assertName, refusal } from '../git-data/ref-routes.ts'
import { stampOf } from '../git-data/stamps.ts'
import { decodeBase64 } from '../http/base64.ts'
import { ApiError } from '../http/errors.ts'
import type { Fields } from '../http/fields.ts'
import { EMPTY_TREE } from '../repos/commit-view.ts'
import { type RepositoryDocument, repositories } from '../state/documents.ts'
import { findRepository } from '../state/lookups.ts'
import { gitObject, refObject } from './repository-object.ts'

const ZERO = '0'.repeat(40)
const WRITE = { needs: { contents: 'write' } } as const

/** Moves all refs or none, each from its expected commit. */
export async function updateRefs(call: Call, args: Fields) {
  const input = args.findObject('input')
  const id = input?.findText('repositoryId') ?? ''
  const repo = repositories(call.box.store).find(findNumberInNodeId('R', id) ?? '')
  if (repo === undefined) throw new ApiError(404, `Could not resolve to a node with the global id of '${id}'`)
  await writable(call, repo)
  const updates = (input?.objects('refUpdates') ?? []).map(readUpdate)
  const outcome = await moveRefs(call.box, repo, { updates, mover: moverOf(call) })
  if (outcome.status === 'refused') {
    const { status, message } = refusal(outcome.reason, outcome.violations)
    throw new ApiError(status, `${outcome.ref}: ${message}`)
  }
  return { clientMutationId: input?.findText('clientMutationId') ?? null }
}

// All zeros as `beforeOid` means "must not exist", as `afterOid` "delete".
function readUpdate(fields: Fields): RefUpdate {
  const ref = fields.text('name')
  assertName(ref)
  const before = fields.findText('beforeOid')
  const after = fields.text('afterOid')
  return {
    ref,
    to: after === ZERO ? undefined : after,
    force: fields.findFlag('force') ?? false,
    ...(before === undefined ? {} : { from: before === ZERO ? 'absent' : before }),
  }
}

/** Appends one commit to a branch if its head is as expected. */
export async function createCommitOnBranch(call: Call, args: Fields) {
  const input = args.findObject('input')
  const branch = input?.findObject('branch')
  const expected = input?.findText('expectedHeadOid') ?? ''
  const [owner = '', name = ''] = (branch?.findText('repositoryNameWithOwner') ?? '').split('/')
  const repo = findRepository(call.box.store, owner, name)
  if (input === undefined || branch === undefined || repo === undefined) {
    throw new ApiError(404, `Could not resolve to a Repository with the name '${owner}/${name}'.`)
  }
  const repoCall = await writable(call, repo)
  const ref = `refs/heads/${branch.text('branchName').replace(/^refs\/heads\//, '')}`
  if ((await repoCall.git.find(ref)) === undefined) throw new ApiError(404, `No ref found for ${ref}`)
  if ((await repoCall.git.find(`${expected}^{commit}`)) === undefined) throw staleHead(expected)
  const commit = await writeChanges(repoCall, input, expected)
  const update = { ref, to: commit, from: expected, force: false }
  const outcome = await moveRefs(call.box, repo, { updates: [update], mover: moverOf(call) })
  if (outcome.status === 'refused')
    throw outcome.reason === 'stale' ? staleHead(expected) : refusal(outcome.reason, outcome.violations)
  const clientMutationId = input.findText('clientMutationId') ?? null
  return { clientMutationId, commit: () => gitObject(repoCall, commit), ref: () => refObject(repoCall, ref) }
}

async function writeChanges(call: RepoCall, input: Fields, parent: string): Promise<string> {
  const changes = input.findObject('fileChanges')
  const edits = new Map<string, TreeEdit>()
  for (const deletion of changes?.objects('deletions') ?? []) {
    const path = deletion.text('path')
    if ((await call.git.find(`${parent}:${path}`)) === undefined) {
      throw new ApiError(422, `A path was requested for deletion which does not exist: ${path}`)
    }
    edits.set(path, undefined)
  }
  for (const addition of changes?.objects('additions') ?? []) {
    const id = await call.git.objects.write('blob', decodeBase64(addition.text('contents')))
    edits.set(addition.text('path'), { mode: '100644', id })
  }
  const base = (await call.git.find(`${parent}^{tree}`))?.id
  const tree = (await editTree(call.git.objects, base, edits)) ?? EMPTY_TREE
  const message = input.findObject('message')
  const body = message?.findText('body')
  const stamp = stampOf(call.box, senderOf(call))
  const text = `${message?.text('headline') ?? ''}${body === undefined ? '' : `\n\n${body}`}`
  const draft = { tree, parents: [parent], author: stamp, committer: stamp, message: text }
  return await writeFullCommit(call.git.objects, draft, signAsBox(call.box))
}

async function writable(call: Call, repo: RepositoryDocument): Promise<RepoCall> {
  assertAccess(call.actor, repo, WRITE, true)
  return { ...call, repo, git: await call.box.git.get(repo.id) }
}

function staleHead(expected: string): ApiError {
  return new ApiError(409, `Expected branch to point to "${expected}" but it did not. Pull and try again.`)
}
