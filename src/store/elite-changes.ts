import type { CampaignState } from '../core/campaign/campaign.ts'
import { isRenewing } from '../core/measuring/renewing.ts'
import type { RefChange } from '../git/refs.ts'
import { type EliteNamespace, eliteRef } from './layout.ts'

export type { RefChange } from '../git/refs.ts'

export type EliteState = Pick<CampaignState, 'campaign' | 'archive' | 'jobs'>

/** What makes the published elite refs match the archive. Those of another place go. */
export function findEliteChanges(
  { campaign, archive, jobs }: EliteState,
  place: EliteNamespace,
  published: ReadonlyMap<string, string>,
): RefChange[] {
  const wanted = new Map(
    archive.members().map((member) => [eliteRef(campaign.id, member, place), member.elite.commit]),
  )
  const set = [...wanted].filter(([ref, commit]) => published.get(ref) !== commit)
  // Until all of a former epoch are measured in this one, nobody has lost a cell.
  const gone = isRenewing({ campaign, jobs }) ? [] : [...published].filter(([ref]) => !wanted.has(ref))
  return [
    ...set.map(([ref, to]) => ({ ref, to, from: published.get(ref) ?? 'absent' })),
    ...gone.map(([ref, from]) => ({ ref, to: undefined, from })),
  ]
}
