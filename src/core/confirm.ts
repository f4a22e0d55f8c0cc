import type { Elite } from './archive.ts'
import { findExhausted } from './budget.ts'
import type { CampaignState, Job, JobResult, ParentRef } from './campaign.ts'
import { readValue } from './objective.ts'
import { findPull, withControl, withPull } from './pulls.ts'
import { accountOf } from './stop-rules.ts'
import { findWinners, isBetterSomewhere } from './winners.ts'

/** Plans one more measurement of a candidate; undefined when the budget does not allow it. */
export function planConfirmation(state: CampaignState, candidate: ParentRef): CampaignState | undefined {
  const open = [...state.jobs.values()].some(
    ({ kind, parent }) => kind === 'confirm' && parent.ordinal === candidate.ordinal,
  )
  if (open) return state
  if (!canAfford(state)) return undefined
  const ordinal = state.campaign.nextOrdinal
  const job: Job = {
    ordinal,
    attempt: 1,
    kind: 'confirm',
    operator: 'fresh',
    parent: candidate,
    inspirations: [],
  }
  const campaign = { ...state.campaign, nextOrdinal: ordinal + 1 }
  return { ...state, campaign, jobs: new Map(state.jobs).set(ordinal, job) }
}

// Candidates and time are for the search; only what a run costs can forbid a confirmation.
function canAfford(state: CampaignState): boolean {
  const limits = {
    ...state.config.limits,
    candidates: Number.POSITIVE_INFINITY,
    wallClockMinutes: undefined,
  }
  return findExhausted(limits, accountOf(state)) === undefined
}

/** Takes a finished confirmation to the pull request it was for, and renews the candidate's check run. */
export function applyConfirmation(state: CampaignState, job: Job, result: JobResult): CampaignState {
  const { ordinal } = job.parent
  const { confirmed, unchecked } = state.campaign.control
  const others = unchecked.filter((other) => other !== ordinal)
  const counted = withControl(state, {
    confirmed: confirmed + 1,
    unchecked: state.campaign.order === 'arrival' ? [...others, ordinal] : others,
  })
  const pull = findPull(counted, ordinal)
  if (pull?.status !== 'confirming') return counted
  if (result.status !== 'measured')
    return withPull(counted, {
      ...pull,
      status: 'refused',
      detail: `it could not be confirmed: ${reasonOf(result)}`,
    })
  const confirmation = result.metrics
  // A person who asked sees the figures and judges; the campaign itself offers only what holds up.
  if (pull.askedBy !== undefined || isBetter(counted, result))
    return withPull(counted, { ...pull, status: 'confirmed', confirmation })
  const detail = 'measured again, it is not better than the baseline'
  return withPull(counted, { ...pull, status: 'refused', confirmation, detail })
}

function reasonOf(result: JobResult): string {
  return result.status === 'failed' ? `${result.reason}: ${result.detail}` : result.status
}

function isBetter({ campaign, config }: CampaignState, result: JobResult & { status: 'measured' }): boolean {
  const read = readValue(result.metrics, config.objectives)
  if (read.status === 'refused' || campaign.baseline === undefined) return false
  return isBetterSomewhere(read.value, campaign.baseline.value, config.objectives)
}

/** At a campaign's end its winners are offered, those that people have not heard of yet. */
export function offerWinners(state: CampaignState): CampaignState {
  const { order, stopping } = state.campaign
  if (order !== 'arrival' || stopping === undefined || stopping === 'stopped') return state
  const winners = findWinners(state, state.config.limits.openPulls)
  return winners.filter(({ ordinal }) => findPull(state, ordinal) === undefined).reduce(offer, state)
}

function offer(state: CampaignState, { ordinal, commit, tree }: Elite): CampaignState {
  const candidate = { ordinal, commit, tree }
  const wanted = withPull(state, { candidate, status: 'confirming' })
  const planned = planConfirmation(wanted, candidate)
  const detail = 'no budget is left to confirm it'
  return planned ?? withPull(state, { candidate, status: 'refused', detail })
}
