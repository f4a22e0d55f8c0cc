import { admitNext, findNextToAdmit, withRunningPhase } from './admission.ts'
import type { CampaignEvent, CampaignState, Effect } from './campaign.ts'
import { ingest, withCampaign } from './ingest.ts'
import { planJob, RECIPES_KEPT } from './plan.ts'
import { findBudgetStop, findPause, findStop } from './stop-rules.ts'

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
  for (const event of events) state = ingest(state, event)
  for (let job = findNextToAdmit(state); job !== undefined; job = findNextToAdmit(state)) {
    state = planAhead(applyRules(withRunningPhase(admitNext(state, job))))
  }
  // Once more: while it was paused, no rule looked at what was admitted.
  state = settle(planAhead(applyRules(state)))
  return { state, effects: findEffects(before, state, events) }
}

function countTime(state: CampaignState, events: readonly CampaignEvent[], now: Date): CampaignState {
  const { lastTickAt, activeMs, status } = state.campaign
  const idle = status.phase === 'paused' || status.phase === 'finished'
  const gap =
    lastTickAt === undefined || idle || isResumed(events) ? 0 : now.getTime() - Date.parse(lastTickAt)
  return withCampaign(state, { lastTickAt: now.toISOString(), activeMs: activeMs + Math.max(0, gap) })
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
function hasRoom({ campaign, ledger, jobs }: CampaignState): boolean {
  return campaign.order === 'ordinal'
    ? campaign.nextOrdinal < ledger.count + campaign.window
    : jobs.size < campaign.window
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
  return withCampaign(
    { ...state, jobs },
    { nextOrdinal: nextOrdinal + 1, search: { ...search, children, recipes, repairable } },
  )
}

function settle(state: CampaignState): CampaignState {
  const { stopping, status } = state.campaign
  if (stopping === undefined || status.phase === 'finished' || state.jobs.size > 0) return state
  return withCampaign(state, { status: { phase: 'finished', reason: stopping }, stopping: undefined })
}

function isRunning({ campaign }: CampaignState): boolean {
  const { phase } = campaign.status
  return phase !== 'paused' && phase !== 'finished' && campaign.stopping === undefined
}

function isResumed(events: readonly CampaignEvent[]): boolean {
  return events.some((event) => event.type === 'resumed')
}

function findEffects(
  before: CampaignState,
  after: CampaignState,
  events: readonly CampaignEvent[],
): Effect[] {
  const resumed = isResumed(events)
  const open = [...after.jobs.values()].filter((job) => job.result === undefined)
  const due = resumed ? open : open.filter((job) => before.jobs.get(job.ordinal)?.attempt !== job.attempt)
  const { phase } = after.campaign.status
  const dispatch: Effect[] = phase === 'paused' ? [] : due.map((job) => ({ type: 'dispatch', job }))
  return resumed || after.archive !== before.archive ? [...dispatch, { type: 'publish-elites' }] : dispatch
}
