import type { CampaignState } from '../campaign/campaign.ts'
import type { CampaignEvent } from '../campaign/events.ts'
import type { Job } from '../campaign/job.ts'

/**
 * Gives jobs without a run to the process that takes this step: those that nobody has claimed, and those that it takes
 * over. Only one of several processes can commit that, so only one starts the run.
 */
export function claimJobs(state: CampaignState, events: readonly CampaignEvent[]): CampaignState {
  const jobs = new Map(state.jobs)
  for (const event of events) {
    if (event.type !== 'claim') continue
    const isTaken = ({ ordinal, attempt }: Job): boolean =>
      event.takesOver.some((taken) => taken.ordinal === ordinal && taken.attempt === attempt)
    for (const job of state.jobs.values()) {
      const isWaiting = job.run === undefined && job.result === undefined
      if (isWaiting && (job.claimedBy === undefined || isTaken(job)))
        jobs.set(job.ordinal, { ...job, claimedBy: event.by })
    }
  }
  return events.some(({ type }) => type === 'claim') ? { ...state, jobs } : state
}
