import type { Campaign } from '../../core/campaign/campaign.ts'
import { runnerRef } from '../../store/layout.ts'
import type { RepositoryApi } from '../api/repository-api.ts'
import { RefUpdates } from '../git/ref-updates.ts'

export type ReserveOutcome =
  | { readonly status: 'made' }
  /** It exists: an earlier attempt created it, or another process is starting the same campaign. */
  | { readonly status: 'stands' }
  | { readonly status: 'refused'; readonly message: string }

/** Creates the branch on which a campaign's runs will be dispatched. Does not move an existing one. */
export async function reserveRunner(
  { api }: { readonly api: RepositoryApi },
  campaign: string,
  root: string,
): Promise<ReserveOutcome> {
  const ref = runnerRef(campaign)
  const refs = new RefUpdates(api, 'state')
  const made = await refs.create(ref, root)
  if (made.status === 'done') return { status: 'made' }
  return (await refs.find(ref)) === undefined ? refusal(ref, made.message) : { status: 'stands' }
}

export type PinOutcome =
  | { readonly status: 'stood' }
  /** The branch was missing or pointed elsewhere. */
  | { readonly status: 'moved' }
  | { readonly status: 'refused'; readonly message: string }

/** Points a campaign's runner branch at the root, because only runs at the root are trusted. */
export async function pinRunner(
  { api }: { readonly api: RepositoryApi },
  { id, root }: Pick<Campaign, 'id' | 'root'>,
): Promise<PinOutcome> {
  const ref = runnerRef(id)
  const refs = new RefUpdates(api, 'state')
  if ((await refs.find(ref)) === root.commit) return { status: 'stood' }
  const pinned = await refs.set(ref, root.commit)
  return pinned.status === 'done' ? { status: 'moved' } : refusal(ref, pinned.message)
}

function refusal(ref: string, said: string): { readonly status: 'refused'; readonly message: string } {
  const branch = ref.slice('refs/heads/'.length)
  return { status: 'refused', message: `GitHub refused the branch ${branch}: ${said}` }
}
