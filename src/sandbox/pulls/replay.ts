import { mergeTrees } from '../../git/history.ts'
import { readFullCommit, type Stamp, writeFullCommit } from '../../git/objects/commits.ts'
import type { BareRepository } from '../git/bare-repository.ts'

/** Puts commits, oldest first, on top of another one; undefined when one of them conflicts there. */
export async function replay(
  git: BareRepository,
  commits: readonly string[],
  onto: string,
  committer: Stamp,
): Promise<string | undefined> {
  let tip = onto
  for (const id of commits) {
    const commit = await readFullCommit(git.objects, id)
    // A merge brings nothing of its own.
    if (commit.parents.length > 1) continue
    const { tree } = await readFullCommit(git.objects, tip)
    // A commit with our tree beside the original has the original's parent as its merge base: merging
    // the two applies just what the original changed.
    const beside = await writeFullCommit(git.objects, {
      tree,
      parents: commit.parents,
      message: 'beside',
      author: committer,
      committer,
    })
    const merged = await mergeTrees(git.repository, beside, id)
    if (merged.status === 'conflict') return undefined
    const { author, message } = commit
    const draft = { tree: merged.tree, parents: [tip], author, committer, message }
    tip = await writeFullCommit(git.objects, draft)
  }
  return tip
}
