import type { Brief } from '../agents/agent.ts'
import type { CampaignConfig } from '../config/campaign-config.ts'
import type { Job } from '../core/campaign.ts'

/** What the agent is told about a job, on whatever host. */
export function createBrief(config: CampaignConfig, job: Job): Brief {
  return {
    goal: config.goal,
    constraints: config.constraints,
    operator: job.operator,
    lens: job.lens,
    inspirations: job.inspirations.map(({ ordinal }) => ordinal),
  }
}
