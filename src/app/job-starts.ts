import type { CampaignEvent } from '../core/campaign/events.ts'
import type { Snapshot } from '../store/state-store.ts'
import { findObstacles } from './campaign-start.ts'
import type { JobRuns } from './job-runs.ts'
import type { RepositoryTools } from './repository-tools.ts'
import { pinRunner } from './runner-branch.ts'

/** Starts the jobs that wait while there is room. Tells the runs that became known, and in words what held it up. */
export async function startJobs(
  tools: RepositoryTools,
  runs: JobRuns,
  snapshot: Snapshot,
): Promise<readonly CampaignEvent[]> {
  const events = await runs.pump(snapshot)
  if (!events.some(({ type }) => type === 'hold')) return events
  // Somebody may have deleted the branch that runs are dispatched on: then it is made again, and that was all.
  const pinned = await pinRunner(tools, snapshot.state.campaign)
  const all =
    pinned.status === 'moved'
      ? [...events.filter(({ type }) => type !== 'hold'), ...(await runs.pump(snapshot))]
      : events
  const told: CampaignEvent[] = []
  for (const event of all) {
    if (event.type !== 'hold') told.push(event)
    else if (pinned.status === 'refused') told.push({ ...event, detail: pinned.message })
    else told.push({ ...event, detail: await explain(tools, snapshot, event.detail) })
  }
  return told
}

// GitHub's refusal seldom says what to do about it; a look at what is known to get in the way does.
async function explain(
  tools: RepositoryTools,
  { state, config }: Snapshot,
  refusal: string,
): Promise<string> {
  const obstacles = await findObstacles(tools, state.campaign.id, config)
  return obstacles.length === 0 ? refusal : obstacles.join(' ')
}
