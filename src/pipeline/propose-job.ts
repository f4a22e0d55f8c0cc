import type { Agent } from '../agents/agent.ts'
import type { Job, LedgerEntry } from '../core/campaign.ts'
import { rngFor } from '../core/rng.ts'
import { createBrief } from './brief.ts'
import { type JobSetting, placeOf } from './job-setting.ts'
import { type Proposal, propose } from './propose.ts'

export interface ProposeRequest {
  readonly agent: Agent
  readonly job: Job
  /** The first `linesSeen(job)` lines of the ledger, by ordinal: what the agent may be told of. */
  readonly history: ReadonlyMap<number, LedgerEntry>
}

/** Lets the agent make a candidate. The agent's chance comes from the campaign's seed and the ordinal alone. */
export async function proposeJob(
  setting: JobSetting,
  { agent, job, history }: ProposeRequest,
  signal: AbortSignal,
): Promise<Proposal> {
  const { config } = setting
  return await propose({
    job,
    agent,
    brief: createBrief(config, job, history),
    guard: setting.guard,
    workshop: setting.workshop,
    objects: setting.objects,
    place: placeOf(setting, job),
    path: setting.path,
    rng: rngFor(config.search.seed, job.ordinal, 'agent'),
    timeoutMs: config.agent.timeoutSeconds * 1000,
    owner: setting.owner,
    signal,
  })
}
