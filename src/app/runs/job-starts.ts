import type { CampaignEvent } from '../../core/campaign/events.ts'
import { pinRunner } from '../../github/runner-branch.ts'
import type { Snapshot } from '../../store/state-store.ts'
import { findObstacles, type StartPorts } from '../campaign/campaign-start.ts'
import type { JobRuns } from './job-runs.ts'

/** Starts the jobs that wait while there is room. Tells the runs that became known, and in words what held it up. */
export async function startJobs(
  ports: StartPorts,
  runs: JobRuns,
  snapshot: Snapshot,
): Promise<readonly CampaignEvent[]> {
  const events = await runs.pump(snapshot)
  if (!events.some(({ type }) => type === 'hold')) return events
  // Somebody may have deleted the branch that runs are dispatched on: then it is made again, and that was all.
  const pinned = await pinRunner(ports, snapshot.state.campaign)
  const all =
    pinned.status === 'moved'
      ? [...events.filter(({ type }) => type !== 'hold'), ...(await runs.pump(snapshot))]
      : events
  const told: CampaignEvent[] = []
  for (const event of all) {
    if (event.type !== 'hold') told.push(event)
    else if (pinned.status === 'refused') told.push({ ...event, detail: pinned.message })
    else told.push({ ...event, detail: await explain(ports, snapshot, event.detail) })
  }
  return told
}

// GitHub's refusal seldom says what to do about it; a look at what is known to get in the way does.
async function explain(ports: StartPorts, { state, config }: Snapshot, refusal: string): Promise<string> {
  const obstacles = await findObstacles(ports, state.campaign.id, config)
  return obstacles.length === 0 ? refusal : obstacles.join(' ')
}
