import type { RepositoryDocument } from '../state/documents.ts'
import type { BareRepository } from './bare-repository.ts'

const FOLDER = '.github/workflows'

/**
 * True when a ref's new commit has workflow files that neither its old commit nor the default branch has. GitHub
 * refuses that to an App without the permission `workflows`; so a commit whose base is older than the last change
 * of a workflow is refused as well.
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

/** The same rule for pushes, as git's own `pre-receive`: it sees the pushed objects before any ref moves. */
export const PRE_RECEIVE_HOOK = `#!/bin/sh
[ "$BOX_GUARD_WORKFLOWS" = 1 ] || exit 0
folder() { git rev-parse --quiet --verify "$1:${FOLDER}" 2>/dev/null; }
default=$(folder "refs/heads/$BOX_DEFAULT_BRANCH")
while read -r old new ref; do
  brought=$(folder "$new") || continue
  [ "$brought" = "$(folder "$old")" ] && continue
  [ "$brought" = "$default" ] && continue
  echo "refusing to allow a GitHub App to create or update workflow files without \\\`workflows\\\` permission" >&2
  exit 1
done
exit 0
`
