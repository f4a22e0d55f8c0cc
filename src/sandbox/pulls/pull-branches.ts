import { findMergeBase } from '../../git/history.ts'
import type { RepoCall } from '../box.ts'
import { type ApiError, notFound, validationFailed } from '../http/errors.ts'
import { findPull, type PullRequest, pullsOf } from './pulls.ts'

/** The branch tips of a pull request. Throws when there is nothing to merge between them. */
export async function readTips(
  call: RepoCall,
  headName: string,
  base: string,
): Promise<Pick<PullRequest, 'head' | 'base'>> {
  const { git, repo } = call
  const [owner, ...rest] = headName.split(':')
  const head = rest.length === 0 ? headName : rest.join(':')
  const isOurs = rest.length === 0 || owner?.toLowerCase() === repo.owner.toLowerCase()
  const tip = async (name: string) => (await git.find(`refs/heads/${name}^{commit}`))?.id
  const [headSha, baseSha] = [isOurs ? await tip(head) : undefined, await tip(base)]
  if (headSha === undefined) throw invalidPull('head', 'invalid')
  if (baseSha === undefined) throw invalidPull('base', 'invalid')
  const shared = await findMergeBase(git.repository, baseSha, headSha)
  if (shared === undefined) throw refusedPull(`The ${head} branch has no history in common with ${base}`)
  if (shared === headSha) throw refusedPull(`No commits between ${base} and ${head}`)
  return { head: { ref: head, sha: headSha }, base: { ref: base, sha: baseSha } }
}

/** Throws when there is already an open pull request between the two branches. */
export function assertOnly(
  { box, repo }: RepoCall,
  { head, base }: Pick<PullRequest, 'head' | 'base'>,
): void {
  const other = pullsOf(box.store, repo.id).find(
    ({ pull, issue }) => issue.state === 'open' && pull.head.ref === head.ref && pull.base.ref === base.ref,
  )
  if (other !== undefined) throw refusedPull(`A pull request already exists for ${repo.owner}:${head.ref}.`)
}

/** A 422 with a message. */
export function refusedPull(message: string): ApiError {
  return validationFailed({ resource: 'PullRequest', field: 'base', code: 'custom', message })
}

/** A 422 about one field. */
export function invalidPull(field: string, code: 'invalid' | 'missing_field'): ApiError {
  return validationFailed({ resource: 'PullRequest', field, code })
}

/** Throws for a pull request that is merged, or whose head is gone or has nothing left to merge. */
export async function assertPullReopenable(call: RepoCall, number: number): Promise<void> {
  const found = findPull(call.box.store, call.repo.id, number)
  if (found === undefined) throw notFound()
  const { pull } = found
  if (pull.merged !== null) throw invalidPull('state', 'invalid')
  assertOnly(call, await readTips(call, pull.head.ref, pull.base.ref))
}
