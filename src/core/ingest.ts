import type { Campaign, CampaignEvent, CampaignState, CampaignStatus } from './campaign.ts'
import { findBudgetStop } from './stop-rules.ts'

/** Takes in one event. One that is doubled, late or of an older attempt changes nothing. */
export function ingest(state: CampaignState, event: CampaignEvent): CampaignState {
  switch (event.type) {
    case 'finished': {
      const job = state.jobs.get(event.ordinal)
      if (job === undefined || job.attempt !== event.attempt || job.result !== undefined) return state
      return { ...state, jobs: new Map(state.jobs).set(job.ordinal, { ...job, result: event.result }) }
    }
    case 'command':
      return command(state, event)
    case 'resumed':
      return resume({ ...state, config: { ...state.config, limits: event.limits } })
  }
}

function command(state: CampaignState, event: CampaignEvent & { type: 'command' }): CampaignState {
  const { campaign } = state
  if (campaign.status.phase === 'finished') return state
  if (event.command === 'stop') {
    // What is in flight is still admitted; before the baseline there is nothing worth waiting for.
    const jobs = campaign.baseline === undefined ? new Map() : state.jobs
    return withCampaign(
      { ...state, jobs },
      { status: runningStatus(state), stopping: campaign.stopping ?? 'stopped' },
    )
  }
  return withCampaign(state, { status: { phase: 'paused', reason: 'command', detail: event.detail } })
}

// A campaign that ended for want of budget goes on when it is given more. One that reached its target,
// stood still or was stopped stays finished: starting it again would end it again.
function resume(state: CampaignState): CampaignState {
  const { campaign } = state
  const stop = campaign.status.phase === 'finished' ? campaign.status.reason : campaign.stopping
  const search = { ...campaign.search, sameFailure: { count: 0 } }
  if (stop === undefined || (stop.startsWith('budget-') && findBudgetStop(state) === undefined))
    return withCampaign(state, { status: runningStatus(state), stopping: undefined, search })
  // One that was paused while it came to its end still has candidates in flight to wait for.
  return campaign.status.phase === 'finished' ? state : withCampaign(state, { status: runningStatus(state) })
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
