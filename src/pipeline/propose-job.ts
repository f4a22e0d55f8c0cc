import type { Agent } from '../agents/agent.ts'
import type { CampaignConfig } from '../config/campaign-config.ts'
import { rngFor } from '../core/rng.ts'
import type { AgentChecks } from './agent-check.ts'
import { createBrief, type JobStory } from './brief.ts'
import { type JobSetting, placeOf } from './job-setting.ts'
import { type Proposal, propose } from './propose.ts'
import { createWithheld, type Withheld } from './withheld.ts'

export interface ProposeRequest extends JobStory {
  readonly agent: Agent
  /**
   * Whether checks may run candidate code without an isolation, as on a maintainer's own machine. On a runner the
   * model's key is in reach of whatever runs as us.
   */
  readonly checksUnisolated?: boolean | undefined
}

/** Lets the agent make a candidate. The agent's chance comes from the campaign's seed and the ordinal alone. */
export async function proposeJob(
  setting: JobSetting,
  { agent, checksUnisolated = false, ...story }: ProposeRequest,
  signal: AbortSignal,
): Promise<Proposal> {
  const { config } = setting
  const { job } = story
  return await propose({
    job,
    agent,
    brief: createBrief(config, story),
    guard: setting.guard,
    workshop: setting.workshop,
    withheld: withheldFromAgents(setting),
    objects: setting.objects,
    place: placeOf(setting, job),
    path: setting.path,
    rng: rngFor(config.search.seed, job.ordinal, 'agent'),
    timeoutMs: config.agent.timeoutSeconds * 1000,
    maxDiskBytes: config.evaluation.maxDiskBytes,
    owner: setting.owner,
    signal,
    rework: config.agent.rework,
    isolation: setting.isolation,
    passedEnvironment: setting.passedEnvironment,
    checks: setting.isolation || checksUnisolated ? checksOf(config) : { gates: [] },
  })
}

// The config names the held-out command: what is measured there must not be known to who is measured.
function withheldFromAgents({ config, workshop }: JobSetting): Withheld {
  const paths = config.evaluation.heldOut?.paths ?? []
  return createWithheld(['.loreley.yml', ...paths], workshop.rootFiles)
}

function checksOf({ agent, evaluation }: CampaignConfig): AgentChecks {
  const { check, checkTimeoutSeconds } = agent
  return {
    own:
      check === undefined
        ? undefined
        : { name: 'check', command: check, timeoutSeconds: checkTimeoutSeconds },
    gates: evaluation.gates,
  }
}
