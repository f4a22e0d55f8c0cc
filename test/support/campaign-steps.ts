import type { CampaignState } from '../../src/core/campaign/campaign.ts'
import type { CampaignEvent, Effect } from '../../src/core/campaign/events.ts'
import type { Job, JobResult } from '../../src/core/campaign/job.ts'
import { type TickResult, tick } from '../../src/core/campaign/tick.ts'
import { aResult, ROOT } from './builders.ts'

export const START = new Date('2026-01-01T00:00:00.000Z')

/** A moment of the campaign, in minutes after its start. */
export function minute(minutes: number): Date {
  return new Date(START.getTime() + minutes * 60_000)
}

/** The event that a candidate has its result. */
export function finished(ordinal: number, result: JobResult = aResult(ordinal), attempt = 1): CampaignEvent {
  return { type: 'finished', ordinal, attempt, result }
}

/** The root's measurement. */
export const BASELINE = aResult(0, { commit: ROOT.commit, tree: ROOT.tree })

/** The campaign after its root was measured. */
export function begun(state: CampaignState, result: JobResult = BASELINE): CampaignState {
  return tick(state, [finished(0, result)], START).state
}

/** One tick at the start's time: for tests to which time does not matter. */
export function step(state: CampaignState, ...events: CampaignEvent[]): TickResult {
  return tick(state, events, START)
}

/** One tick, and the history whenever it is asked for, as a host gives it. */
export function stepWithHistory(before: CampaignState, ...events: CampaignEvent[]): TickResult {
  let result = step(before, ...events)
  while (result.effects.some(({ type }) => type === 'need-history'))
    result = step(result.state, { type: 'history', entries: result.state.ledger.tail })
  return result
}

/** What a job gives: a confirmation the same as the candidate that it measures again. */
const usualResult = ({ kind, ordinal, parent }: Job): JobResult =>
  aResult(kind === 'confirm' ? parent.ordinal : ordinal)

/** Lets every open candidate finish in ordinal order, one a tick, until none is open. */
export function playOut(
  before: CampaignState,
  resultOf: (job: Job) => JobResult = usualResult,
): CampaignState {
  let state = before
  for (let job = findOpen(state); job !== undefined; job = findOpen(state)) {
    state = stepWithHistory(state, finished(job.ordinal, resultOf(job), job.attempt)).state
  }
  return state
}

function findOpen({ jobs }: CampaignState): Job | undefined {
  return [...jobs.values()].filter((job) => job.result === undefined).sort((a, b) => a.ordinal - b.ordinal)[0]
}

/** The ordinals that a tick wants started. */
export function dispatched(effects: readonly Effect[]): number[] {
  return effects.flatMap((effect) => (effect.type === 'dispatch' ? [effect.job.ordinal] : []))
}

/** The event that a host starts to drive the campaign, with the limits it has now. */
export const resumed = (state: CampaignState, limits = state.config.limits): CampaignEvent => ({
  type: 'resumed',
  limits,
})
