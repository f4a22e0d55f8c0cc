import { mergeTrees } from '../../git/history.ts'
import { writeFullCommit } from '../../git/objects/commits.ts'
import type { Box } from '../box.ts'
import type { BareRepository } from '../git/bare-repository.ts'
import type { RepositoryDocument } from '../state/documents.ts'
import type { PullRequest } from './pulls.ts'

/** The result of merging a pull request now. */
export type TestMerge =
  | { readonly status: 'clean'; readonly base: string; readonly tree: string; readonly commit: string }
  | { readonly status: 'conflict' | 'no-base' }

/**
 * Merges a pull request into its current base without moving the base. The result is `refs/pull/<n>/merge`,
 * which the workflows of pull requests check out.
 */
export async function testMerge(box: Box, repo: RepositoryDocument, pull: PullRequest): Promise<TestMerge> {
  const git = await box.git.get(repo.id)
  const base = (await git.find(`refs/heads/${pull.base.ref}^{commit}`))?.id
  if (base === undefined) return { status: 'no-base' }
  const merged = await mergeTrees(git.repository, base, pull.head.sha)
  if (merged.status === 'conflict') return { status: 'conflict' }
  const commit = await writeFullCommit(git.objects, {
    tree: merged.tree,
    parents: [base, pull.head.sha],
    message: `Merge ${pull.head.sha} into ${base}`,
    author: STAMP,
    committer: STAMP,
  })
  await writePullRef(git, `refs/pull/${pull.number}/merge`, commit)
  return { status: 'clean', base, tree: merged.tree, commit }
}

// A constant, so that the same two commits give the same merge.
const STAMP = { name: 'GitHub', email: 'noreply@github.com', seconds: 0, zone: '+0000' }

/** Points `refs/pull/<n>/head` at the head, so that it can be fetched after its branch is gone. */
export async function writeHeadRef(box: Box, pull: PullRequest): Promise<void> {
  const git = await box.git.get(pull.repositoryId)
  await writePullRef(git, `refs/pull/${pull.number}/head`, pull.head.sha)
}

// Not through moveRefs: GitHub sends no events for these refs.
async function writePullRef(git: BareRepository, ref: string, to: string): Promise<void> {
  await git.exclusively(async () => {
    const from = (await git.find(ref))?.id
    if (from !== to) await git.applyRefs([{ ref, to, from: from ?? 'absent' }])
  })
}
