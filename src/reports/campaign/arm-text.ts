import { findBest } from '../../core/archive/archive.ts'
import type { CampaignState } from '../../core/campaign/campaign.ts'
import { logGain } from '../../core/planning/breeding.ts'
import { compareWithArm, LEAST_DRAWS } from '../../core/planning/independent-arm.ts'
import { renderCount, renderGain } from '../numbers.ts'

/** What the search added over independent candidates from the root, or why that cannot be told. */
export function renderArm({ campaign, config, archive }: CampaignState): string[] {
  const { arm } = campaign.search
  const { baseline, finished } = campaign
  const [root = 0] = baseline?.value ?? []
  if (arm === undefined || baseline === undefined || root <= 0) return []
  if (arm.draws < LEAST_DRAWS)
    return [
      `${renderCount(arm.draws, 'independent candidate')}: too few to tell what the search added (${LEAST_DRAWS} are needed)`,
    ]
  const best = logGain(
    findBest(archive, config.objectives)?.value ?? baseline.value,
    baseline.value,
    config.objectives,
  )
  const compared = compareWithArm(arm, { best, candidates: finished, seed: config.search.seed })
  if (compared === undefined) return []
  // As everywhere: relative to the root, so that half the time is a gain of 50 %.
  const isLess = config.objectives[0]?.direction === 'minimize'
  const asGain = (gain: number): string => renderGain(isLess ? -Math.expm1(-gain) : Math.expm1(gain))
  const { expected, low, high, paid } = compared
  const alone = `${finished} independent candidates would reach about ${asGain(expected)} (${asGain(low)} to ${asGain(high)})`
  return [
    paid
      ? `The search paid: ${asGain(best)}, where ${alone}`
      : `The search added nothing beyond chance: ${asGain(best)}, and ${alone}`,
  ]
}
