import type { Brief } from '../agents/agent.ts'
import type { CampaignConfig } from '../config/campaign-config.ts'
import type { Job, LedgerEntry } from '../core/campaign.ts'
import { recall } from '../core/recall.ts'

/** What a job's agent is told. `entries` are the first `linesSeen(job)` lines of the ledger, by ordinal. */
export function createBrief(
  config: CampaignConfig,
  job: Job,
  entries: ReadonlyMap<number, LedgerEntry>,
): Brief {
  return {
    ...recall(config, job, entries),
    goal: config.goal,
    constraints: config.constraints,
    acceptance: config.acceptance,
    notes: config.notes,
    operator: job.operator,
    lens: config.search.lenses.find(({ name }) => name === job.lens),
    scope: { editable: config.scope.editable, protected: config.scope.protected },
  }
}
