import { NO_USAGE } from './budget.ts'
import type {
  Campaign,
  CampaignEvent,
  CampaignState,
  CampaignStatus,
  Job,
  JobResult,
  PauseReason,
  StopReason,
} from './campaign.ts'
import type { Plan } from './control.ts'
import { countPlanned, hasRoomToday } from './day.ts'
import { reconfigure, supersedeOpen } from './epoch.ts'
import { withControl } from './pulls.ts'
import { takeHistory } from './rebuild.ts'
import { speakLimit, withGivenLimits } from './spoken-limits.ts'
import { steer } from './steering.ts'
import { findBudgetStop } from './stop-rules.ts'
import { closeUnaffordable } from './unaffordable.ts'

/** Takes in one event. One that is doubled, late or of an older attempt changes nothing. */
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
      return fitToLimits(withGivenLimits(reconfigure(state, event), event.config.limits))
    case 'limits':
      return fitToLimits(withGivenLimits(state, event.limits))
    case 'budget':
      return fitToLimits(speakLimit(state, event.limit, event.amount))
    case 'hold':
      return hold(state, event.reason, event.detail)
    case 'plan-again':
      return planAgain(state, event.plan)
    case 'timer':
      return state
    case 'history':
      return takeHistory(state, event.entries)
    default:
      return steer(state, event)
  }
}

// A larger budget calls off the end that the smaller one had brought about, while it is still coming.
function fitToLimits(state: CampaignState): CampaignState {
  const { stopping } = state.campaign
  if (stopping === undefined || !stopping.startsWith('budget-') || !canGoOn(state, stopping))
    return closeUnaffordable(state)
  return withCampaign(withControl(state, { finals: [] }), { stopping: undefined })
}

function jobsOf(
  { jobs }: CampaignState,
  { takeOver }: CampaignEvent & { type: 'resumed' },
): CampaignState['jobs'] {
  if (takeOver === undefined) return jobs
  return new Map([...jobs].map(([ordinal, job]) => [ordinal, { ...job, run: undefined }]))
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

// What is in flight is still admitted; before the baseline, an epoch's too, there is nothing worth waiting for.
function closeWaiting(state: CampaignState): CampaignState {
  if (state.campaign.baseline !== undefined) return { ...state, jobs: withoutWaiting(state) }
  return state.ledger.count === 0 ? { ...state, jobs: new Map() } : supersedeOpen(state)
}

// Where runs are known, a job without one has cost nothing yet: it is closed instead of begun.
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

// A pause that a person or a rule made has its own reason, which must not be lost.
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

// A campaign that ended for want of budget goes on when it is given more. One that reached its target,
// stood still or was stopped stays finished: starting it again would end it again.
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
  // One that was paused while it came to its end still has candidates in flight to wait for.
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

/** Where a campaign stands when nothing holds it up. */
export function runningStatus({ campaign }: CampaignState): CampaignStatus {
  if (campaign.baseline === undefined) return { phase: 'baseline' }
  return { phase: campaign.finished < campaign.warmUp ? 'warm-up' : 'searching' }
}

/** The state with some of the campaign's fields set. */
export function withCampaign(state: CampaignState, changes: Partial<Campaign>): CampaignState {
  return { ...state, campaign: { ...state.campaign, ...changes } }
}
