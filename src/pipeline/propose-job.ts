import type { Agent } from '../agents/agent.ts'
import type { Job } from '../core/campaign.ts'
import { rngFor } from '../core/rng.ts'
import { createBrief } from './brief.ts'
import { type JobSetting, placeOf } from './job-setting.ts'
import { type Proposal, propose } from './propose.ts'

/** Lets the agent make a candidate. The agent's chance comes from the campaign's seed and the ordinal alone. */
export async function proposeJob(
  setting: JobSetting,
  { agent, job }: { readonly agent: Agent; readonly job: Job },
  signal: AbortSignal,
): Promise<Proposal> {
  const { config } = setting
  return await propose({
    job,
    agent,
    brief: createBrief(config, job),
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
