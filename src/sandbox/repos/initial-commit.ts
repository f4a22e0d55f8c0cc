import { writeFullCommit } from '../../git/objects/commits.ts'
import { editTree } from '../../git/objects/trees.ts'
import type { Box } from '../box.ts'
import { moveRefs } from '../git/ref-moves.ts'
import { stampOf } from '../git-data/stamps.ts'
import type { RepositoryDocument, User } from '../state/documents.ts'
import { EMPTY_TREE } from './commit-view.ts'

/** Gives a new repository its first commit. A path that ends with `.sh` is made executable. */
export async function writeInitialCommit(
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
  const wish = { ref: `refs/heads/${repo.defaultBranch}`, to: commit, from: 'absent', force: false }
  await moveRefs(box, repo, { wishes: [wish], mover: { sender: draft.sender, mayChangeWorkflows: true } })
  return commit
}
