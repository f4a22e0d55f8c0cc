import type { Brief } from '../agents/agent.ts'
import type { CampaignConfig } from '../config/campaign-config.ts'
import type { Direction } from '../core/campaign/control.ts'
import type { Job } from '../core/campaign/job.ts'
import type { LedgerEntry } from '../core/campaign/ledger.ts'
import { recall } from '../core/planning/recall.ts'

/** What is known about a job besides its config. */
export interface JobStory {
  readonly job: Job
  /** The first `linesSeen(job)` lines of the ledger, by ordinal: what the agent may be told of. */
  readonly history: ReadonlyMap<number, LedgerEntry>
  readonly direction?: Direction | undefined
}

/** What a job's agent is told. */
export function createBrief(config: CampaignConfig, { job, history, direction }: JobStory): Brief {
  return {
    ...recall(config, job, history),
    goal: config.goal,
    constraints: config.constraints,
    acceptance: config.acceptance,
    notes: config.notes,
    direction: direction && { title: direction.title, body: direction.body },
    operator: job.operator,
    lens: config.search.lenses.find(({ name }) => name === job.lens),
    scope: { editable: config.scope.editable, protected: config.scope.protected },
  }
}
