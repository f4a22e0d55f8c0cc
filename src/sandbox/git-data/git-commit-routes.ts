import { readFullCommit, writeFullCommit } from '../../git/objects/commits.ts'
import type { Family, RepoCall } from '../box.ts'
import { ApiError, notFound } from '../http/errors.ts'
import { created, ok, type Reply } from '../http/reply.ts'
import { repoRoute } from '../http/route.ts'
import { EMPTY_TREE, gitCommitView } from '../repos/commit-view.ts'
import { assertNotEmpty } from './empty-repository.ts'
import { signerOf, stampsOf } from './stamps.ts'

/** Git Data: commits. */
export const gitCommitsFamily: Family = {
  routes: [
    repoRoute('POST /repos/{owner}/{repo}/git/commits', { contents: 'write' }, createCommit),
    repoRoute('GET /repos/{owner}/{repo}/git/commits/{commit_sha}', { contents: 'read' }, getCommit),
  ],
}

async function createCommit(call: RepoCall): Promise<Reply> {
  await assertNotEmpty(call.git)
  const tree = call.body.text('tree')
  const parents = call.body.findTexts('parents') ?? []
  if (tree !== EMPTY_TREE && (await typeOf(call, tree)) !== 'tree')
    throw new ApiError(422, 'Tree SHA does not exist')
  for (const parent of parents) {
    if ((await typeOf(call, parent)) !== 'commit') {
      throw new ApiError(422, 'Parent SHA does not exist or is not a commit object')
    }
  }
  const draft = { tree, parents, message: call.body.text('message'), ...stampsOf(call) }
  const id = await writeFullCommit(call.git.objects, draft, signerOf(call))
  return created(gitCommitView(call.box, call.repo, await readFullCommit(call.git.objects, id)))
}

async function getCommit(call: RepoCall): Promise<Reply> {
  const id = call.path.text('commit_sha')
  if ((await typeOf(call, id)) !== 'commit') throw notFound()
  return ok(gitCommitView(call.box, call.repo, await readFullCommit(call.git.objects, id)))
}

async function typeOf(call: RepoCall, id: string): Promise<string | undefined> {
  return /^[0-9a-f]{40}$/.test(id) ? (await call.git.find(id))?.type : undefined
}
