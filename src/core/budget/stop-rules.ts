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
  const failing = findSameFailure(campaign.search.sameFailure, config.limits.sameFailure)
  if (failing !== undefined) return { reason: 'same-failure', detail: failing }
  const { checkpoint } = config.limits
  if (checkpoint === undefined || campaign.finished - campaign.control.checkpointAt < checkpoint)
    return undefined
  return { reason: 'checkpoint', detail: `${campaign.finished} candidates are done; say when to go on` }
}

/**
 * What was spent and what is set aside. A result that waits for its turn still counts at its most, like an open
 * candidate: how early it came must not decide what is planned. What it cost beyond that counts too.
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

// One that describes a candidate anew may have to pay an embedder.
function isMeasuring({ kind, describes }: Pick<Job, 'kind' | 'describes'>): boolean {
  return kind === 'confirm' && describes !== true
}

/**
 * How many measurements a campaign's end needs: of the winners that it offers, or of its best. Runner minutes for them
 * are never spent on the search, or what it found could not be reported.
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

/** Whether one more candidate may be planned today. Where the time of day changes nothing, no day is counted. */
export function hasRoomToday({ campaign, config }: CampaignState): boolean {
  return (campaign.control.day?.planned ?? 0) < config.limits.candidatesPerDay
}

/** Counts a candidate that was planned today. */
export function countPlanned(control: Control): Control {
  const { day } = control
  return day === undefined ? control : { ...control, day: { ...day, planned: day.planned + 1 } }
}
