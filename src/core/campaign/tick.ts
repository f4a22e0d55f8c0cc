import { countPlanned, findBudgetStop, findPause, findStop, hasRoomToday } from '../budget/stop-rules.ts'
import { followBest, remeasureSteering } from '../measuring/best.ts'
import { confirmEnd } from '../measuring/confirm.ts'
import { isRenewing } from '../measuring/renewing.ts'
import { noteCrossed } from '../planning/breeding.ts'
import { claimJobs } from '../planning/claims.ts'
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
 * One step of the campaign: ingest events, admit results in order, apply the stop rules, plan.
 * Pure: the same state, events and time give the same result. Rules and planning run after each admission, so the
 * grouping of results into ticks changes nothing.
 */
export function tick(before: CampaignState, events: readonly CampaignEvent[], now: Date): TickResult {
  let state = countTime(before, events, now)
  for (const event of events) state = ingestEvent(state, event)
  // Plan first: a candidate held up by a pause must see the archive of that time, not what arrived since.
  state = planAhead(applyRules(state))
  for (let job = findNextToAdmit(state); job !== undefined; job = findNextToAdmit(state)) {
    state = planAhead(applyRules(withRunningPhase(admitNext(state, job))))
  }
  // Apply the rules once more: during a pause they did not see the admitted results.
  state = claimJobs(settle(planAhead(applyRules(state))), events)
  return { state, effects: findEffects({ before, after: state, events }) }
}

// A rebuilt archive may have a new best, which has not been confirmed yet.
function ingestEvent(state: CampaignState, event: CampaignEvent): CampaignState {
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

// Never moves back: only the latest request counts.
function findResumedAt(
  { campaign }: CampaignState,
  events: readonly CampaignEvent[],
  now: string,
): string | undefined {
  const asked = events.flatMap((event) => (event.type === 'resumed' ? [event.askedAt ?? now] : []))
  const known = asked.length === 0 ? [] : [...asked, campaign.control.resumedAt ?? '']
  return known.sort().at(-1)
}

// Only when results are admitted as they arrive. In ordinal order the time of day must not matter.
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
    // Candidates in flight return part of their reserve when they finish.
    const final = stop === 'budget-candidates' || stop === 'budget-wall-clock' || state.jobs.size === 0
    return final ? withCampaign(state, { stopping: stop }) : state
  }
  return state
}

// In ordinal order, candidate N is planned once N − window is admitted. It sees exactly that archive, however many run
// at once. In arrival order, as many jobs wait as run, so a finished run is replaced at once by a job in the state.
function hasRoom(state: CampaignState): boolean {
  const { campaign, config, ledger, jobs } = state
  if (isHistoryDue(state) || isRenewing(state)) return false
  if (campaign.order === 'ordinal') return campaign.nextOrdinal < ledger.count + campaign.window
  return jobs.size - countConfirming(jobs) < 2 * config.limits.parallel && hasRoomToday(state)
}

function planNext(state: CampaignState): CampaignState {
  const { nextOrdinal, search } = state.campaign
  const { job, recipe } = planJob(state, nextOrdinal)
  const elites = state.archive.members().map(({ elite }) => elite)
  const parents = new Set([...elites, ...(search.breeding?.pool ?? [])].map(({ ordinal }) => `${ordinal}`))
  const counted: Record<string, number> = {
    ...search.children,
    [job.parent.ordinal]: (search.children[job.parent.ordinal] ?? 0) + 1,
  }
  const children = Object.fromEntries(Object.entries(counted).filter(([ordinal]) => parents.has(ordinal)))
  const recipes = recipe === undefined ? search.recipes : [...search.recipes, recipe].slice(-RECIPES_KEPT)
  const repairable = search.repairable.filter(({ ordinal }) => ordinal !== job.repairs)
  const [donor] = job.inspirations
  const breeding =
    search.breeding && job.operator === 'crossover' && donor
      ? noteCrossed(search.breeding, job.parent.ordinal, donor.ordinal)
      : search.breeding
  const jobs = new Map(state.jobs).set(nextOrdinal, job)
  const planned = withCampaign(
    { ...state, jobs },
    {
      nextOrdinal: nextOrdinal + 1,
      search: { ...search, children, recipes, repairable, ...(breeding && { breeding }) },
      control: countPlanned(state.campaign.control),
    },
  )
  return remeasureSteering(planned, job.parent.ordinal)
}

function settle(before: CampaignState): CampaignState {
  const { stopping, status } = before.campaign
  if (stopping === undefined || status.phase === 'finished' || before.jobs.size > 0) return before
  // The last candidates get their cells only after the pending fit.
  if (isHistoryDue(before)) return before
  const state = confirmEnd(before)
  if (state.jobs.size > 0) return state
  return withCampaign(state, { status: { phase: 'finished', reason: stopping }, stopping: undefined })
}

function isRunning({ campaign }: CampaignState): boolean {
  const { phase } = campaign.status
  return phase !== 'paused' && phase !== 'finished' && campaign.stopping === undefined
}
