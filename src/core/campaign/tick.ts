import { countPlanned, findBudgetStop, findPause, findStop, hasRoomToday } from '../budget/stop-rules.ts'
import { followBest, remeasureSteering } from '../measuring/best.ts'
import { confirmEnd } from '../measuring/confirm.ts'
import { isRenewing } from '../measuring/renewing.ts'
import { planJob, RECIPES_KEPT } from '../planning/plan.ts'
import { isHistoryDue } from '../space/learn.ts'
import { admitNext, findNextToAdmit, withRunningPhase } from './admission.ts'
import type { CampaignState } from './campaign.ts'
import { findEffects, isResumed } from './effects.ts'
import type { CampaignEvent, Effect } from './events.ts'
import { ingest, withCampaign } from './ingest.ts'
import { countConfirming, withControl } from './pulls.ts'

export interface TickResult {
  readonly state: CampaignState
  readonly effects: readonly Effect[]
}

/**
 * One step of the campaign: take in what happened, admit results in their order, apply the stop rules, plan.
 * Pure: the same state, events and time give the same result. Results are admitted one by one with the rules
 * and the planning in between, so that how they are grouped into ticks changes nothing.
 */
export function tick(before: CampaignState, events: readonly CampaignEvent[], now: Date): TickResult {
  let state = countTime(before, events, now)
  for (const event of events) state = takeIn(state, event)
  // What a pause kept from being planned sees the archive as it was then, not what arrived meanwhile.
  state = planAhead(applyRules(state))
  for (let job = findNextToAdmit(state); job !== undefined; job = findNextToAdmit(state)) {
    state = planAhead(applyRules(withRunningPhase(admitNext(state, job))))
  }
  // Once more: while it was paused, no rule looked at what was admitted.
  state = settle(planAhead(applyRules(state)))
  return { state, effects: findEffects({ before, after: state, events }) }
}

// What a new archive shows to be the best was not measured as such yet.
function takeIn(state: CampaignState, event: CampaignEvent): CampaignState {
  const after = ingest(state, event)
  return event.type === 'history' ? followBest(state, after) : after
}

function countTime(state: CampaignState, events: readonly CampaignEvent[], now: Date): CampaignState {
  const { lastTickAt, activeMs, status } = state.campaign
  const idle = status.phase === 'paused' || status.phase === 'finished'
  const gap =
    lastTickAt === undefined || idle || isResumed(events) ? 0 : now.getTime() - Date.parse(lastTickAt)
  const at = now.toISOString()
  const counted = withCampaign(state, { lastTickAt: at, activeMs: activeMs + Math.max(0, gap) })
  return withCalendar(counted, at, findResumedAt(state, events, at))
}

// Never back: what came before the latest wish does not count.
function findResumedAt(
  { campaign }: CampaignState,
  events: readonly CampaignEvent[],
  now: string,
): string | undefined {
  const asked = events.flatMap((event) => (event.type === 'resumed' ? [event.askedAt ?? now] : []))
  const known = asked.length === 0 ? [] : [...asked, campaign.control.resumedAt ?? '']
  return known.sort().at(-1)
}

// Only where results are admitted as they arrive: elsewhere the time of day must change nothing.
function withCalendar(state: CampaignState, at: string, resumedAt: string | undefined): CampaignState {
  const { order, control } = state.campaign
  if (order === 'ordinal') return state
  const date = at.slice(0, 10)
  const day = control.day?.date === date ? control.day : { date, planned: 0 }
  return withControl(state, { day, ...(resumedAt !== undefined && { resumedAt }) })
}

function applyRules(state: CampaignState): CampaignState {
  if (!isRunning(state)) return state
  const stop = findStop(state)
  if (stop !== undefined) return withCampaign(state, { stopping: stop })
  const pause = findPause(state)
  return pause === undefined ? state : withCampaign(state, { status: { phase: 'paused', ...pause } })
}

function planAhead(before: CampaignState): CampaignState {
  let state = before
  while (isRunning(state) && state.campaign.baseline !== undefined && hasRoom(state)) {
    const stop = findBudgetStop(state)
    if (stop === undefined) {
      state = planNext(state)
      continue
    }
    // Money and minutes set aside for candidates in flight come back in part when they finish.
    const final = stop === 'budget-candidates' || stop === 'budget-wall-clock' || state.jobs.size === 0
    return final ? withCampaign(state, { stopping: stop }) : state
  }
  return state
}

// In ordinal order, candidate N is planned when N − window has been admitted: it sees exactly that archive,
// however many run at once.
// As they arrive, as many jobs wait as run: a run that ends is replaced at once by one that is in the state.
function hasRoom(state: CampaignState): boolean {
  const { campaign, config, ledger, jobs } = state
  if (isHistoryDue(state) || isRenewing(state)) return false
  if (campaign.order === 'ordinal') return campaign.nextOrdinal < ledger.count + campaign.window
  return jobs.size - countConfirming(jobs) < 2 * config.limits.parallel && hasRoomToday(state)
}

function planNext(state: CampaignState): CampaignState {
  const { nextOrdinal, search } = state.campaign
  const { job, recipe } = planJob(state, nextOrdinal)
  const elites = new Set(state.archive.members().map(({ elite }) => `${elite.ordinal}`))
  const counted: Record<string, number> = {
    ...search.children,
    [job.parent.ordinal]: (search.children[job.parent.ordinal] ?? 0) + 1,
  }
  const children = Object.fromEntries(Object.entries(counted).filter(([ordinal]) => elites.has(ordinal)))
  const recipes = recipe === undefined ? search.recipes : [...search.recipes, recipe].slice(-RECIPES_KEPT)
  const repairable = search.repairable.filter(({ ordinal }) => ordinal !== job.repairs)
  const jobs = new Map(state.jobs).set(nextOrdinal, job)
  const planned = withCampaign(
    { ...state, jobs },
    {
      nextOrdinal: nextOrdinal + 1,
      search: { ...search, children, recipes, repairable },
      control: countPlanned(state.campaign.control),
    },
  )
  return remeasureSteering(planned, job.parent.ordinal)
}

function settle(before: CampaignState): CampaignState {
  const { stopping, status } = before.campaign
  if (stopping === undefined || status.phase === 'finished' || before.jobs.size > 0) return before
  // The last candidates have their places only after the fit that is due.
  if (isHistoryDue(before)) return before
  const state = confirmEnd(before)
  if (state.jobs.size > 0) return state
  return withCampaign(state, { status: { phase: 'finished', reason: stopping }, stopping: undefined })
}

function isRunning({ campaign }: CampaignState): boolean {
  const { phase } = campaign.status
  return phase !== 'paused' && phase !== 'finished' && campaign.stopping === undefined
}
