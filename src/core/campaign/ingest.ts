import { takeHistory } from '../archive/rebuild.ts'
import { findExhausted, NO_USAGE } from '../budget/budget.ts'
import { setLimitByCommand, withConfigLimits } from '../budget/limit-commands.ts'
import { accountOf, countPlanned, findBudgetStop, hasRoomToday } from '../budget/stop-rules.ts'
import { reconfigure, supersedeOpen } from '../measuring/epoch.ts'
import type { Campaign, CampaignState } from './campaign.ts'
import type { Plan } from './control.ts'
import type { CampaignEvent } from './events.ts'
import type { Job, JobResult } from './job.ts'
import { withControl } from './pulls.ts'
import type { CampaignStatus, PauseReason, StopReason } from './status.ts'
import { steer } from './steering.ts'

/** Applies one event. Duplicate, late and outdated events change nothing. */
export function ingest(state: CampaignState, event: CampaignEvent): CampaignState {
  switch (event.type) {
    case 'finished': {
      const job = state.jobs.get(event.ordinal)
      if (job === undefined || job.attempt !== event.attempt || job.result !== undefined) return state
      const { run = job.run, result } = event
      return { ...state, jobs: new Map(state.jobs).set(job.ordinal, { ...job, run, result }) }
    }
    case 'command':
      return command(state, event)
    case 'resumed':
      return resume(
        {
          ...state,
          config: { ...state.config, limits: event.limits },
          jobs: jobsOf(state, event),
        },
        event,
      )
    case 'config':
      return fitToLimits(withConfigLimits(reconfigure(state, event), event.config.limits))
    case 'limits':
      return fitToLimits(withConfigLimits(state, event.limits))
    case 'budget':
      return fitToLimits(setLimitByCommand(state, event.limit, event.amount))
    case 'hold':
      return hold(state, event.reason, event.detail)
    case 'plan-again':
      return planAgain(state, event.plan)
    // Jobs are claimed once all are planned.
    case 'claim':
    case 'timer':
      return state
    case 'history':
      return takeHistory(state, event.entries, event.prepared)
    default:
      return steer(state, event)
  }
}

// A larger budget cancels a stop that the smaller one caused, as long as the campaign has not finished.
function fitToLimits(state: CampaignState): CampaignState {
  const { stopping } = state.campaign
  if (stopping === undefined || !stopping.startsWith('budget-') || !canGoOn(state, stopping))
    return closeUnaffordable(state)
  return withCampaign(withControl(state, { finals: [] }), { stopping: undefined })
}

/**
 * Closes planned candidates that a smaller budget no longer allows, newest first. Running ones are already paid for.
 * Not in ordinal order, where the plan is part of the result.
 */
function closeUnaffordable(before: CampaignState): CampaignState {
  if (before.campaign.order === 'ordinal') return before
  let state = before
  const waiting = [...before.jobs.values()]
    .filter(({ kind, run, result }) => kind === 'candidate' && run === undefined && result === undefined)
    .sort((a, b) => b.ordinal - a.ordinal)
  for (const { ordinal } of waiting) {
    if (!isOverdrawn(state)) break
    state = supersedeOpen(state, (job) => job.ordinal === ordinal)
  }
  return state
}

// Whether the planned candidates could exceed the budget, checked as if the last one were not planned yet.
function isOverdrawn(state: CampaignState): boolean {
  const { candidates, inFlight, ...account } = accountOf(state)
  const limits = { ...state.config.limits, wallClockMinutes: undefined }
  return (
    findExhausted(limits, { ...account, candidates: candidates - 1, inFlight: inFlight - 1 }) !== undefined
  )
}

function jobsOf(
  { jobs }: CampaignState,
  { takeOver }: CampaignEvent & { type: 'resumed' },
): CampaignState['jobs'] {
  if (takeOver === undefined) return jobs
  return new Map(
    [...jobs].map(([ordinal, job]) => [ordinal, { ...job, claimedBy: undefined, run: undefined }]),
  )
}

function command(state: CampaignState, event: CampaignEvent & { type: 'command' }): CampaignState {
  const { campaign } = state
  if (campaign.status.phase === 'finished') return state
  if (event.command === 'stop') {
    const closed = closeWaiting(state)
    return withCampaign(closed, { status: runningStatus(state), stopping: campaign.stopping ?? 'stopped' })
  }
  return withCampaign(state, { status: { phase: 'paused', reason: 'command', detail: event.detail } })
}

// Results in flight are still admitted. Before the baseline of an epoch there is nothing to wait for.
function closeWaiting(state: CampaignState): CampaignState {
  if (state.campaign.baseline !== undefined) return { ...state, jobs: withoutWaiting(state) }
  return state.ledger.count === 0 ? { ...state, jobs: new Map() } : supersedeOpen(state)
}

// A job without a run has cost nothing yet, so it is closed. In ordinal order runs are unknown.
function withoutWaiting({ campaign, jobs }: CampaignState): CampaignState['jobs'] {
  if (campaign.order === 'ordinal') return jobs
  const closed = [...jobs].map(([ordinal, job]): [number, Job] =>
    job.run === undefined && job.result === undefined
      ? [ordinal, { ...job, result: CANCELLED }]
      : [ordinal, job],
  )
  return new Map(closed)
}

const CANCELLED: JobResult = {
  status: 'failed',
  reason: 'cancelled',
  detail: 'the campaign was stopped before it began',
  usage: NO_USAGE,
}

// An existing pause keeps its own reason.
function hold(state: CampaignState, reason: PauseReason, detail: string): CampaignState {
  const { phase } = state.campaign.status
  if (phase === 'finished' || phase === 'paused') return state
  return withCampaign(state, { status: { phase: 'paused', reason, detail } })
}

function planAgain(state: CampaignState, plan: Plan): CampaignState {
  const { campaign } = state
  const isOver = campaign.status.phase === 'finished' || campaign.stopping !== undefined
  if (isOver || campaign.order === 'ordinal') return state
  if (findBudgetStop(state) !== undefined || !hasRoomToday(state)) return state
  const ordinal = campaign.nextOrdinal
  const job: Job = { ...plan, ordinal, attempt: 1, kind: 'candidate' }
  return withCampaign(
    { ...state, jobs: new Map(state.jobs).set(ordinal, job) },
    { nextOrdinal: ordinal + 1, control: countPlanned(campaign.control) },
  )
}

// A campaign that ran out of budget continues when it gets more. One that reached its target, stalled or was stopped
// stays finished: it would only end again.
function resume(state: CampaignState, { acceptNoise }: CampaignEvent & { type: 'resumed' }): CampaignState {
  const { campaign } = state
  const { status } = campaign
  if (status.phase === 'paused' && status.reason === 'too-noisy' && acceptNoise === undefined) return state
  const stop = campaign.status.phase === 'finished' ? campaign.status.reason : campaign.stopping
  const search = { ...campaign.search, sameFailure: { count: 0 } }
  if (stop === undefined || canGoOn(state, stop)) {
    const passed = withControl(passCheckpoint(state), { finals: [] })
    return withCampaign(passed, { status: runningStatus(state), stopping: undefined, search })
  }
  // A campaign that was paused while stopping may still have candidates in flight.
  return campaign.status.phase === 'finished' ? state : withCampaign(state, { status: runningStatus(state) })
}

function passCheckpoint(state: CampaignState): CampaignState {
  const { status, finished } = state.campaign
  const isHeld = status.phase === 'paused' && status.reason === 'checkpoint'
  return isHeld ? withControl(state, { checkpointAt: finished }) : state
}

function canGoOn(state: CampaignState, stop: StopReason): boolean {
  if (stop === 'dry-run') return !state.config.limits.dryRun
  return stop.startsWith('budget-') && findBudgetStop(state) === undefined
}

/** The phase of a campaign that is not paused. */
export function runningStatus({ campaign }: CampaignState): CampaignStatus {
  if (campaign.baseline === undefined) return { phase: 'baseline' }
  return { phase: campaign.finished < campaign.warmUp ? 'warm-up' : 'searching' }
}

/** The state with some of the campaign's fields set. */
export function withCampaign(state: CampaignState, changes: Partial<Campaign>): CampaignState {
  return { ...state, campaign: { ...state.campaign, ...changes } }
}
