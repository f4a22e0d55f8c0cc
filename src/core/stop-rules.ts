import { findBest } from './archive.ts'
import { type Account, addUsage, excessUsage, findExhausted } from './budget.ts'
import type { CampaignState, PauseReason, StopReason } from './campaign.ts'
import { reachesTargets } from './objective.ts'

/** Whether the campaign has reached what it was for, or stands still. */
export function findStop({ config, campaign, archive }: CampaignState): StopReason | undefined {
  const best = findBest(archive, config.objectives)
  if (best !== undefined && reachesTargets(best.value, config.objectives)) return 'target-reached'
  const { plateau } = config.search
  if (plateau !== undefined && campaign.finished - campaign.search.improvedAt >= plateau) return 'plateau'
  return undefined
}

/** Whether a person should look before more is spent. */
export function findPause({
  config,
  campaign,
}: CampaignState): { reason: PauseReason; detail: string } | undefined {
  const { reason, count } = campaign.search.sameFailure
  if (reason === undefined || count < config.limits.sameFailure) return undefined
  return { reason: 'same-failure', detail: `${count} candidates in a row ended with ${reason}` }
}

// A result that waits for its turn still counts at its most, like an open candidate: how early it came must
// not decide what is planned. What it cost beyond that counts too.
function accountOf({ campaign, jobs }: CampaignState): Account {
  const { reserved } = campaign
  const excesses = [...jobs.values()].flatMap(({ result }) =>
    result === undefined ? [] : [excessUsage(result.usage, reserved)],
  )
  return {
    candidates: campaign.nextOrdinal - 1,
    activeMs: campaign.activeMs,
    used: excesses.reduce(addUsage, campaign.used),
    reserved,
    inFlight: jobs.size,
  }
}

/** The budget that forbids one more candidate, if any. */
export function findBudgetStop(state: CampaignState): StopReason | undefined {
  return findExhausted(state.config.limits, accountOf(state))
}
