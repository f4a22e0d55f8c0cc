import type { RepositoryDocument } from '../state/documents.ts'
import type { BareRepository } from './bare-repository.ts'

const FOLDER = '.github/workflows'

/**
 * True when a ref's new commit has workflow files that neither its old commit nor the default branch has.
 * GitHub refuses this to an App without the `workflows` permission. It therefore also refuses a commit whose
 * base is older than the last workflow change.
 */
export async function bringsWorkflows(
  git: BareRepository,
  repo: RepositoryDocument,
  move: { readonly before: string | undefined; readonly after: string },
): Promise<boolean> {
  const folderOf = async (revision: string): Promise<string | undefined> =>
    (await git.find(`${revision}:${FOLDER}`))?.id
  const brought = await folderOf(move.after)
  if (brought === undefined) return false
  if (move.before !== undefined && (await folderOf(move.before)) === brought) return false
  return (await folderOf(`refs/heads/${repo.defaultBranch}`)) !== brought
}
