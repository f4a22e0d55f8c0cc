import { type Elite, findBest } from '../archive/archive.ts'
import { canMeasure, findExhausted } from '../budget/budget.ts'
import { accountOf, countFinals } from '../budget/stop-rules.ts'
import type { CampaignState } from '../campaign/campaign.ts'
import type { Job, ParentRef } from '../campaign/job.ts'
import type { LedgerEntry } from '../campaign/ledger.ts'
import { findPull, withControl, withPull } from '../campaign/pulls.ts'
import { isAhead } from './figures.ts'
import { compareValues } from './objective.ts'
import { findFailure, verdictWord } from './verdict.ts'
import { findWinners } from './winners.ts'

/** Why a confirmation is planned; empty if somebody asked for it. */
type Cause = Pick<Job, 'purpose' | 'describes' | 'rival'>

/** Plans another measurement of a candidate; undefined if the budget does not allow it. */
export function planConfirmation(
  state: CampaignState,
  candidate: ParentRef,
  cause: Cause = {},
): CampaignState | undefined {
  const open = [...state.jobs.values()].some(
    (job) =>
      job.kind === 'confirm' && job.parent.ordinal === candidate.ordinal && isOwn(job) === isOwn(cause),
  )
  if (open) return state
  if (!canAfford(state, cause)) return undefined
  const ordinal = state.campaign.nextOrdinal
  const job: Job = {
    ordinal,
    attempt: 1,
    kind: 'confirm',
    operator: 'fresh',
    parent: candidate,
    inspirations: [],
    ...cause,
  }
  const campaign = { ...state.campaign, nextOrdinal: ordinal + 1 }
  return { ...state, campaign, jobs: new Map(state.jobs).set(ordinal, job) }
}

/** Whether a confirmation measures the candidate itself, with held-out inputs, so that a person may rely on it. */
export function isOwn({ purpose }: Pick<Job, 'purpose'>): boolean {
  return purpose !== 'epoch' && purpose !== 'duel'
}

// A confirmation needs no model, only runner time. The reserve for the end is only used at the end.
function canAfford(state: CampaignState, { purpose, describes }: Cause): boolean {
  const { config, campaign } = state
  const account = accountOf(state)
  const isEnd = purpose === 'final' || campaign.stopping !== undefined || campaign.status.phase === 'finished'
  const spared = isEnd ? { ...account, measuring: account.measuring - countFinals(state) } : account
  if (describes !== true) return canMeasure(config.limits, spared)
  const limits = { ...config.limits, candidates: Number.POSITIVE_INFINITY, wallClockMinutes: undefined }
  return findExhausted(limits, spared) === undefined
}

/** Applies a finished confirmation to its pull request, and requests an updated check run. */
export function applyConfirmation(state: CampaignState, job: Job, entry: LedgerEntry): CampaignState {
  const { ordinal } = job.parent
  const { confirmed, unchecked } = state.campaign.control
  const others = unchecked.filter((other) => other !== ordinal)
  const counted = withControl(state, {
    confirmed: confirmed + 1,
    unchecked: state.campaign.order === 'arrival' ? [...others, ordinal] : others,
  })
  const pull = findPull(counted, ordinal)
  if (pull?.status !== 'confirming' || !isOwn(job)) return counted
  const { metrics, interval, heldOut } = entry
  // One impossible number is a failure, even if the others have a median.
  if (metrics === undefined || findFailure(entry.verdict) !== undefined)
    return withPull(counted, {
      ...pull,
      status: 'refused',
      detail: `it could not be confirmed: ${reasonOf(entry)}`,
    })
  const confirmation = { metrics, interval, heldOut }
  const fault = findFault(counted, entry)
  // A person who asked judges the figures. The campaign itself proposes only what was confirmed.
  if (pull.askedBy !== undefined || fault === undefined)
    return withPull(counted, { ...pull, status: 'confirmed', confirmation })
  return withPull(counted, { ...pull, status: 'refused', confirmation, detail: fault })
}

function reasonOf({ verdict }: LedgerEntry): string {
  const word = verdictWord(verdict)
  return 'detail' in verdict ? `${word}: ${verdict.detail}` : word
}

function findFault(
  state: CampaignState,
  { verdict, metrics = {}, interval }: LedgerEntry,
): string | undefined {
  if (verdict.status === 'overfitted') return 'overfitted: its gain is not there on the held-out inputs'
  return isAhead(state, { metrics, interval })
    ? undefined
    : 'measured again, it is not better than the baseline'
}

/**
 * Proposes the winners that have no pull request yet, and confirms the best at the end of a campaign: reported figures
 * must not come from the runs that selected it.
 */
export function confirmEnd(state: CampaignState): CampaignState {
  const { order, stopping } = state.campaign
  if (stopping === undefined || stopping === 'stopped') return state
  const winners = order === 'arrival' ? findWinners(state, state.config.limits.openPulls) : []
  const unproposed = winners.filter(({ ordinal }) => findPull(state, ordinal) === undefined)
  return unproposed.length > 0 ? unproposed.reduce(propose, state) : confirmBest(state)
}

function propose(state: CampaignState, { ordinal, commit, tree }: Elite): CampaignState {
  const candidate = { ordinal, commit, tree }
  const wanted = withPull(withFinal(state, candidate), { candidate, status: 'confirming' })
  const detail = 'no budget is left to confirm it'
  return (
    planConfirmation(wanted, candidate, { purpose: 'final' }) ??
    withPull(state, { candidate, status: 'refused', detail })
  )
}

function confirmBest(state: CampaignState): CampaignState {
  const { campaign, config, archive } = state
  const best = findBest(archive, config.objectives)
  if (best === undefined || campaign.baseline === undefined) return state
  if (campaign.control.declined.includes(best.ordinal)) return state
  if (compareValues(best.value, campaign.baseline.value, config.objectives) <= 0) return state
  const { ordinal, commit, tree } = best
  return confirmAtLast(state, { ordinal, commit, tree })
}

// If the best falls back, the next best needs a confirmation too. This bounds the chain.
const MOST_FINALS = 3

function confirmAtLast(state: CampaignState, candidate: ParentRef): CampaignState {
  const { finals } = state.campaign.control
  if (finals.includes(candidate.ordinal) || finals.length >= MOST_FINALS) return state
  return planConfirmation(withFinal(state, candidate), candidate, { purpose: 'final' }) ?? state
}

function withFinal(state: CampaignState, { ordinal }: ParentRef): CampaignState {
  return withControl(state, { finals: [...state.campaign.control.finals, ordinal] })
}
