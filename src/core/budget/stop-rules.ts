import { findBest } from '../archive/archive.ts'
import type { CampaignState } from '../campaign/campaign.ts'
import type { Control } from '../campaign/control.ts'
import type { Job } from '../campaign/job.ts'
import { countConfirming } from '../campaign/pulls.ts'
import { findSameFailure } from '../campaign/same-failure.ts'
import type { PauseReason, StopReason } from '../campaign/status.ts'
import { reachesTargets } from '../measuring/objective.ts'
import {
  type Account,
  addUsage,
  excessUsage,
  findExhausted,
  measuringMsOf,
  NO_USAGE,
  type Reserve,
  type Usage,
} from './budget.ts'

/** Why the campaign should stop: its target is reached, or progress has stalled. */
export function findStop({ config, campaign, archive }: CampaignState): StopReason | undefined {
  if (config.limits.dryRun) return campaign.baseline === undefined ? undefined : 'dry-run'
  const best = findBest(archive, config.objectives)
  // With several objectives, the elite that reaches all targets need not be the best on the first.
  const elites = config.objectives.length === 1 ? [] : archive.members().map(({ elite }) => elite)
  const judged = best === undefined ? elites : [best, ...elites]
  if (judged.some(({ value }) => reachesTargets(value, config.objectives))) return 'target-reached'
  const { plateau } = config.search
  if (plateau !== undefined && campaign.finished - campaign.search.improvedAt >= plateau) return 'plateau'
  return undefined
}

/** Why the campaign should pause for a person before it spends more. */
export function findPause({
  config,
  campaign,
}: CampaignState): { reason: PauseReason; detail: string } | undefined {
  const failing = findSameFailure(campaign.search.sameFailure, config.limits.sameFailure)
  if (failing !== undefined) return { reason: 'same-failure', detail: failing }
  const { checkpoint } = config.limits
  if (checkpoint === undefined || campaign.finished - campaign.control.checkpointAt < checkpoint)
    return undefined
  return { reason: 'checkpoint', detail: `${campaign.finished} candidates are done; say when to go on` }
}

/**
 * What is spent and reserved. A result that waits for admission still counts at its maximum, like an open candidate:
 * its arrival time must not change what is planned. Any cost beyond the maximum counts too.
 */
export function accountOf(state: CampaignState): Account {
  const { campaign, jobs } = state
  const { reserved } = campaign
  const open = [...jobs.values()]
  const excesses = open.flatMap((job) =>
    job.result === undefined ? [] : [excessUsage(job.result.usage, mostOfJob(job, reserved))],
  )
  const measuring = open.filter(isMeasuring).length
  return {
    candidates: campaign.nextOrdinal - 1 - campaign.control.confirmed - countConfirming(jobs),
    activeMs: campaign.activeMs,
    used: excesses.reduce(addUsage, campaign.used),
    reserved,
    inFlight: open.length - measuring,
    measuring: measuring + countFinals(state),
  }
}

/** The most that a job may cost. */
export function mostOfJob(job: Pick<Job, 'kind' | 'describes'>, reserved: Reserve): Usage {
  if (isMeasuring(job)) return { ...NO_USAGE, runnerMs: measuringMsOf(reserved) }
  const { tokens, dollars, runnerMs } = reserved
  return { tokens, dollars, runnerMs }
}

// A confirmation that embeds a candidate again may cost model money.
function isMeasuring({ kind, describes }: Pick<Job, 'kind' | 'describes'>): boolean {
  return kind === 'confirm' && describes !== true
}

/**
 * How many measurements the end of a campaign needs, for its winners or its best. The search never spends these runner
 * minutes; otherwise its findings could not be reported.
 */
export function countFinals({ campaign, config }: CampaignState): number {
  const { objectives, limits } = config
  const offered = objectives.length === 1 ? Math.min(1, limits.openPulls) : limits.openPulls
  return Math.max(1, campaign.order === 'arrival' ? offered : 0)
}

/** The budget that forbids one more candidate, if any. */
export function findBudgetStop(state: CampaignState): StopReason | undefined {
  return findExhausted(state.config.limits, accountOf(state))
}

/** Whether one more candidate may be planned today. In ordinal order no day is counted, so there is always room. */
export function hasRoomToday({ campaign, config }: CampaignState): boolean {
  return (campaign.control.day?.planned ?? 0) < config.limits.candidatesPerDay
}

/** Counts one candidate planned today. */
export function countPlanned(control: Control): Control {
  const { day } = control
  return day === undefined ? control : { ...control, day: { ...day, planned: day.planned + 1 } }
}
