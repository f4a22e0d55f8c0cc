import { type Elite, findBest, type Member } from '../core/archive/archive.ts'
import type { CampaignState } from '../core/campaign/campaign.ts'
import { compareValues, relativeGain } from '../core/measuring/objective.ts'
import { renderHeldOut } from './measurement-text.ts'

export interface Standing extends Member {
  readonly gain: number | undefined
}

/**
 * The elites: first the one that the campaign calls its best, then the others by their numbers, of equals the older one.
 * Where numbers vary the largest is often the luckiest: it is not the best before it stands out.
 */
export function rankElites({ archive, config, campaign }: CampaignState): Standing[] {
  const { objectives } = config
  const best = findBest(archive, objectives)?.ordinal
  const ranked = [...archive.members()].sort(
    (a, b) =>
      Number(b.elite.ordinal === best) - Number(a.elite.ordinal === best) ||
      compareValues(b.elite.value, a.elite.value, objectives) ||
      a.elite.ordinal - b.elite.ordinal,
  )
  return ranked.map((member) => ({
    ...member,
    gain: campaign.baseline && relativeGain(member.elite.value, campaign.baseline.value, objectives),
  }))
}

/** Whether numbers vary, so that it matters which runs they come from. */
export function isNoisy({ campaign }: CampaignState): boolean {
  return campaign.baseline?.deterministic === false
}

/** Where a row's number comes from, in one word: the runs that chose it, or later ones. */
export function renderMeasured({ ordinal, confirmed }: Elite): string {
  if (ordinal === 0) return ''
  return confirmed === true ? 'again' : 'once'
}

/** How far the best's number can be trusted: the one that a candidate was chosen for flatters it. */
export function renderTrust(state: CampaignState, { interval, confirmed, heldOut }: Elite): string {
  const isOver = state.campaign.status.phase === 'finished'
  const left = renderHeldOut(heldOut).map((line) => `. ${line}`)
  if (confirmed === true) return `, measured again${left}`
  if (interval !== undefined)
    return isOver ? ', not measured again: part of it may be luck' : ', not measured again yet'
  const untried = state.config.evaluation.heldOut !== undefined && heldOut === undefined
  return untried ? `, not tried on held-out inputs${isOver ? '' : ' yet'}` : `${left}`
}
