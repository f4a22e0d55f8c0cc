import { isHistoryDue } from '../space/learn.ts'
import type { CampaignState } from './campaign.ts'
import type { CampaignEvent, Effect } from './events.ts'
import type { Job } from './job.ts'

/** A tick's input and outcome. */
export interface Ticked {
  readonly before: CampaignState
  readonly after: CampaignState
  readonly events: readonly CampaignEvent[]
}

/**
 * The effects of a tick. Pending check runs and pull requests are requested at every tick until an event confirms them.
 * Effects are idempotent, so a crash loses none.
 */
export function findEffects(ticked: Ticked): Effect[] {
  const { after } = ticked
  const isDue = isHistoryDue(after)
  return [
    ...(isDue ? [{ type: 'need-history' } as const] : []),
    ...findCancels(ticked),
    ...findDispatches(ticked),
    // The tick with the history follows immediately and requests the same again. Requesting twice could reopen a pull
    // request that a person closes in between.
    ...(isDue ? [] : findPending(after)),
    ...(isNews(ticked) ? [{ type: 'report' } as const] : []),
  ]
}

function findPending(state: CampaignState): Effect[] {
  const checks = state.campaign.control.unchecked.map((ordinal) => ({ type: 'check', ordinal }) as const)
  return [...checks, ...findPullEffects(state)]
}

/** Whether a host starts driving the campaign. */
export function isResumed(events: readonly CampaignEvent[]): boolean {
  return events.some((event) => event.type === 'resumed')
}

function findDispatches({ before, after, events }: Ticked): Effect[] {
  const open = [...after.jobs.values()].filter((job) => job.result === undefined && job.run === undefined)
  const isNew = (job: Job): boolean => before.jobs.get(job.ordinal)?.attempt !== job.attempt
  const { baseline, status } = after.campaign
  // The baseline decides how jobs are measured, so only the root itself can run before it.
  const isReady = (job: Job): boolean => job.kind === 'baseline' || baseline !== undefined
  const all = isResumed(events) || (before.campaign.baseline === undefined && baseline !== undefined)
  const due = (all ? open : open.filter(isNew)).filter(isReady)
  const allowed = status.phase === 'paused' ? due.filter(isAskedFor) : due
  return allowed.map((job) => ({ type: 'dispatch', job }))
}

/** Whether somebody asked for this measurement. A pause does not delay it. */
export function isAskedFor({ kind, purpose }: Job): boolean {
  return kind === 'confirm' && purpose === undefined
}

// Runs whose jobs were closed, and runs that became known too late.
function findCancels({ before, after, events }: Ticked): Effect[] {
  const finished = new Set(events.flatMap((event) => (event.type === 'finished' ? [event.ordinal] : [])))
  const closed = [...before.jobs.values()].filter(
    ({ ordinal, attempt, result }) =>
      result === undefined && !finished.has(ordinal) && after.jobs.get(ordinal)?.attempt !== attempt,
  )
  const late = events.flatMap((event) =>
    event.type === 'dispatched' &&
    !finished.has(event.ordinal) &&
    after.jobs.get(event.ordinal)?.attempt !== event.attempt
      ? [event.run]
      : [],
  )
  const runs = new Set([...closed.flatMap(({ run }) => (run === undefined ? [] : [run])), ...late])
  return [...runs].map((run) => ({ type: 'cancel', run }))
}

function findPullEffects({ campaign, config }: CampaignState): Effect[] {
  const { pulls, declined } = campaign.control
  const open = pulls.filter(({ status }) => status === 'open')
  const unwanted = open.filter(({ candidate }) => declined.includes(candidate.ordinal))
  const room = Math.max(0, config.limits.openPulls - open.length)
  const ready = pulls.filter(({ status }) => status === 'confirmed').slice(0, room)
  return [
    ...unwanted.map((pull) => ({ type: 'close-pull', pull }) as const),
    ...ready.map((pull) => ({ type: 'open-pull', pull }) as const),
  ]
}

function isNews({ before, after, events }: Ticked): boolean {
  const { campaign: was } = before
  const { campaign: is } = after
  return (
    isResumed(events) ||
    after.ledger.count !== before.ledger.count ||
    is.status !== was.status ||
    is.stopping !== was.stopping ||
    is.control.pulls !== was.control.pulls ||
    is.control.declined !== was.control.declined ||
    is.control.unpublished !== was.control.unpublished ||
    after.config.limits !== before.config.limits
  )
}
