import { listRefs } from '../../git/repository.ts'
import type { BareRepository } from '../git/bare-repository.ts'
import { ApiError } from '../http/errors.ts'

/** GitHub's Git Data API refuses to work in a repository without commits. */
export async function assertNotEmpty(git: BareRepository): Promise<void> {
  if (await isEmpty(git)) throw new ApiError(409, 'Git Repository is empty.')
}

export async function isEmpty(git: BareRepository): Promise<boolean> {
  if ((await git.find('HEAD')) !== undefined) return false
  return (await listRefs(git.repository, 'refs/')).size === 0
}
