import type { Campaign } from '../../core/campaign/campaign.ts'
import { runnerRef } from '../../store/layout.ts'
import type { RepositoryApi } from '../api/repository-api.ts'
import { RefUpdates } from '../git/ref-updates.ts'

export type ReserveOutcome =
  | { readonly status: 'made' }
  /** Of an earlier try, or of another process that is about to begin the same campaign. */
  | { readonly status: 'stands' }
  | { readonly status: 'refused'; readonly message: string }

/** Makes the branch that a campaign's runs are to be dispatched on. One that stands is not ours to move yet. */
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
  /** It was elsewhere or gone. */
  | { readonly status: 'moved' }
  | { readonly status: 'refused'; readonly message: string }

/** Puts a campaign's runner branch where its runs are trusted: at the root. */
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
