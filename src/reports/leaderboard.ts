import type { Member } from '../core/archive.ts'
import type { CampaignState } from '../core/campaign.ts'
import { compareValues, relativeGain } from '../core/objective.ts'

export interface Standing extends Member {
  readonly gain: number | undefined
}

/** The elites, best first; of equals the older one. */
export function rankElites({ archive, config, campaign }: CampaignState): Standing[] {
  const { objectives } = config
  const ranked = [...archive.members()].sort(
    (a, b) => compareValues(b.elite.value, a.elite.value, objectives) || a.elite.ordinal - b.elite.ordinal,
  )
  return ranked.map((member) => ({
    ...member,
    gain: campaign.baseline && relativeGain(member.elite.value, campaign.baseline.value, objectives),
  }))
}
