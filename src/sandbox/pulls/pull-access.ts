import type { RepoCall } from '../box.ts'
import { notFound } from '../http/errors.ts'
import { findPull, type Pull } from './pulls.ts'

export const READ_PULL = { needs: { pull_requests: 'read' } } as const
/** Authors may change their own pull requests. Handlers check the role for everything else. */
export const WRITE_PULL = { needs: { pull_requests: 'write' }, role: 'read' } as const

export const PULL = '/repos/{owner}/{repo}/pulls/{pull_number}'

/** The pull request named by the path. */
export function getPull(call: RepoCall): Pull {
  const found = findPull(call.box.store, call.repo.id, call.path.number('pull_number'))
  if (found === undefined) throw notFound()
  return found
}
