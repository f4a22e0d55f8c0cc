import { type Finding, fine } from './finding.ts'
import { RefUpdates } from './ref-updates.ts'
import type { RepositoryApi } from './repository-api.ts'

// Git keeps no branch `a/b` beside a branch `a`.
const FOLDERS = ['loreley', 'loreley/elite', 'loreley/runner', 'loreley/pr'].map(
  (name) => `refs/heads/${name}`,
)
const BELOW_STATE = 'refs/heads/loreley/state/'

/** Whether a branch of the repository stands where ours have to. */
export async function checkNames(api: RepositoryApi): Promise<Finding> {
  const refs = await new RefUpdates(api, 'state').list('refs/heads/loreley')
  const inTheWay = [...refs.keys()].filter((ref) => FOLDERS.includes(ref) || ref.startsWith(BELOW_STATE))
  if (inTheWay.length === 0) return fine('branch-names', 'No branch stands in the way of ours.')
  const names = inTheWay.map((ref) => `\`${ref.slice('refs/heads/'.length)}\``).join(', ')
  return {
    topic: 'branch-names',
    state: 'blocked',
    message: `The branch ${names} makes it impossible to have branches such as \`loreley/state\`.`,
    remedy: `Rename or delete ${names}.`,
  }
}
