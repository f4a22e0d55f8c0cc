import type { CampaignConfig } from '../config/campaign-config.ts'
import { mostUsage } from '../config/most-usage.ts'
import type { Direction } from '../core/control.ts'
import { createCampaign } from '../core/start.ts'
import { preflight } from '../github/preflight.ts'
import { RefUpdates } from '../github/ref-updates.ts'
import { readCommit } from '../github/repository-facts.ts'
import { CampaignLoop } from '../host/loop.ts'
import { renderPages } from '../reports/pages.ts'
import type { Snapshot } from '../store/state-store.ts'
import { type RepositoryTools, runnerBranch, WORKFLOW_FILE } from './repository-tools.ts'

export type StartOutcome =
  | { readonly status: 'started'; readonly snapshot: Snapshot }
  /** What stands in the way, one sentence each with its remedy. */
  | { readonly status: 'blocked'; readonly reasons: readonly string[] }

export interface StartOrder {
  readonly id: string
  readonly config: CampaignConfig
  readonly direction?: Direction | undefined
}

/** The name of the campaign that an issue starts. */
export function campaignId(config: string, issue: number): string {
  const suffix = `-${issue}`
  return `${config.slice(0, 40 - suffix.length)}${suffix}`
}

/** Looks whether a campaign can run at all, pins the branch that its runs are dispatched on, and writes its first state. */
export async function startCampaign(tools: RepositoryTools, order: StartOrder): Promise<StartOutcome> {
  const { id, config, direction } = order
  const reasons = await findObstacles(tools, order)
  if (reasons.length > 0) return { status: 'blocked', reasons }
  const refs = new RefUpdates(tools.api, 'state')
  const head = await refs.find(`refs/heads/${tools.defaultBranch}`)
  if (head === undefined) return { status: 'blocked', reasons: [`${tools.defaultBranch} has no commit.`] }
  const pinned = await refs.set(`refs/heads/${runnerBranch(id)}`, head)
  if (pinned.status !== 'done')
    return {
      status: 'blocked',
      reasons: [`GitHub refused the branch ${runnerBranch(id)}: ${pinned.message}`],
    }
  const root = { commit: head, ...(await readCommit(tools.api, head)) }
  const reserved = mostUsage(config)
  const state = createCampaign({ id, config, order: 'arrival', root, reserved, direction })
  const { snapshot } = await CampaignLoop.start(hostOf(tools), { state, config })
  return { status: 'started', snapshot }
}

async function findObstacles(tools: RepositoryTools, { id, config }: StartOrder): Promise<readonly string[]> {
  const needsKey = config.agent.use === 'openai'
  const findings = await preflight(tools.api, { campaign: id, workflow: WORKFLOW_FILE, needsKey })
  const blocked = findings.filter(({ state }) => state === 'blocked')
  return blocked.map(({ message, remedy }) => `${message} ${remedy}`)
}

function hostOf({ store, clock }: RepositoryTools) {
  return {
    store,
    renderPages,
    now: () => new Date(clock.now()),
    jitter: () => clock.jitter(),
    // Nothing is done before the first step.
    perform: async () => undefined,
  }
}
