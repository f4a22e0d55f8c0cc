import { findBest } from './archive.ts'
import { type Account, addUsage, findExhausted, NO_USAGE } from './budget.ts'
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

/** Open candidates whose result has not come. */
export function inFlightCount({ jobs }: CampaignState): number {
  return [...jobs.values()].filter((job) => job.result === undefined).length
}

// A result that waits for its turn is spent though not yet entered; an open candidate counts at its most.
function accountOf(state: CampaignState): Account {
  const { campaign, jobs } = state
  const waiting = [...jobs.values()].map((job) => job.result?.usage ?? NO_USAGE)
  return {
    candidates: campaign.nextOrdinal - 1,
    activeMs: campaign.activeMs,
    used: waiting.reduce(addUsage, campaign.used),
    reserved: campaign.reserved,
    inFlight: inFlightCount(state),
  }
}

/** The budget that forbids one more candidate, if any. */
export function findBudgetStop(state: CampaignState): StopReason | undefined {
  return findExhausted(state.config.limits, accountOf(state))
}
