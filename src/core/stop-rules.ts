import { findBest } from './archive.ts'
import { type Account, addUsage, excessUsage, findExhausted } from './budget.ts'
import type { CampaignState, PauseReason, StopReason } from './campaign.ts'
import { reachesTargets } from './objective.ts'
import { countConfirming } from './pulls.ts'
import type { FailureReason } from './verdict.ts'

/** Whether the campaign has reached what it was for, or stands still. */
export function findStop({ config, campaign, archive }: CampaignState): StopReason | undefined {
  if (config.limits.dryRun) return campaign.baseline === undefined ? undefined : 'dry-run'
  const best = findBest(archive, config.objectives)
  // Of several objectives, the one that reaches all targets need not be the best on the first.
  const elites = config.objectives.length === 1 ? [] : archive.members().map(({ elite }) => elite)
  const judged = best === undefined ? elites : [best, ...elites]
  if (judged.some(({ value }) => reachesTargets(value, config.objectives))) return 'target-reached'
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
  if (reason !== undefined && count >= mostInARow(reason, config.limits.sameFailure))
    return { reason: 'same-failure', detail: `${count} candidates in a row ended with ${reason}` }
  const { checkpoint } = config.limits
  if (checkpoint === undefined || campaign.finished - campaign.control.checkpointAt < checkpoint)
    return undefined
  return { reason: 'checkpoint', detail: `${campaign.finished} candidates are done; say when to go on` }
}

// Broken machinery does not mend itself by trying: every further candidate would be paid for in vain.
const INFRASTRUCTURE_FAILURES = 3

function mostInARow(reason: FailureReason, sameFailure: number): number {
  return reason === 'infrastructure' ? Math.min(INFRASTRUCTURE_FAILURES, sameFailure) : sameFailure
}

/**
 * What was spent and what is set aside. A result that waits for its turn still counts at its most, like an open
 * candidate: how early it came must not decide what is planned. What it cost beyond that counts too.
 */
export function accountOf({ campaign, jobs }: CampaignState): Account {
  const { reserved } = campaign
  const excesses = [...jobs.values()].flatMap(({ result }) =>
    result === undefined ? [] : [excessUsage(result.usage, reserved)],
  )
  return {
    candidates: campaign.nextOrdinal - 1 - campaign.control.confirmed - countConfirming(jobs),
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
