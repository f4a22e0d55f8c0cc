import { findBest } from './archive.ts'
import { findExhausted } from './budget.ts'
import type { CampaignState, Job, JobResult, ParentRef } from './campaign.ts'
import { compareValues, readValue } from './objective.ts'
import { findPull, withControl, withPull } from './pulls.ts'
import { accountOf } from './stop-rules.ts'

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
  return compareValues(read.value, campaign.baseline.value, config.objectives) > 0
}

/** At a campaign's end its best candidate is offered, if people have not heard of it yet. */
export function offerBest(state: CampaignState): CampaignState {
  const { campaign, config, archive } = state
  const { stopping, baseline, control } = campaign
  if (campaign.order !== 'arrival' || stopping === undefined || stopping === 'stopped') return state
  const best = findBest(archive, config.objectives)
  if (best === undefined || baseline === undefined || config.limits.openPulls === 0) return state
  if (findPull(state, best.ordinal) !== undefined || control.declined.includes(best.ordinal)) return state
  if (compareValues(best.value, baseline.value, config.objectives) <= 0) return state
  const candidate = { ordinal: best.ordinal, commit: best.commit, tree: best.tree }
  const wanted = withPull(state, { candidate, status: 'confirming' })
  const planned = planConfirmation(wanted, candidate)
  const detail = 'no budget is left to confirm it'
  return planned ?? withPull(state, { candidate, status: 'refused', detail })
}
