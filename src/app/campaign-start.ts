import { randomBytes } from 'node:crypto'
import type { CampaignConfig } from '../config/campaign-config.ts'
import { mostUsage } from '../config/most-usage.ts'
import type { Direction } from '../core/control.ts'
import { createCampaign } from '../core/start.ts'
import { LoreleyError } from '../errors.ts'
import type { Finding } from '../github/finding.ts'
import { preflight } from '../github/preflight.ts'
import { RefUpdates } from '../github/ref-updates.ts'
import { readCommit } from '../github/repository-facts.ts'
import { CampaignLoop } from '../host/loop.ts'
import { renderPages } from '../reports/pages.ts'
import type { Snapshot, StoredCampaign } from '../store/state-store.ts'
import { digestOfRoot } from './reconfigure.ts'
import { type RepositoryTools, runnerBranch, WORKFLOW_FILE } from './repository-tools.ts'

export type StartOutcome =
  /** `warnings` are what may be refused later, one sentence each with its remedy. */
  | { readonly status: 'started'; readonly snapshot: Snapshot; readonly warnings: readonly string[] }
  /** Another process was faster: the campaign is its. */
  | { readonly status: 'overtaken' }
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
  const findings = await lookAround(tools, id, config)
  const reasons = sayAll(findings, 'blocked')
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
  const nonce = randomBytes(8).toString('hex')
  const evaluator = await digestOfRoot(tools, config, root.tree)
  const start = { id, config, order: 'arrival', root, reserved, evaluator, direction, nonce } as const
  const state = createCampaign(start)
  const snapshot = await begin(tools, { state, config })
  return snapshot === undefined
    ? { status: 'overtaken' }
    : { status: 'started', snapshot, warnings: sayAll(findings, 'warning') }
}

async function begin(tools: RepositoryTools, stored: StoredCampaign): Promise<Snapshot | undefined> {
  try {
    return (await CampaignLoop.start(hostOf(tools), stored)).snapshot
  } catch (error) {
    if (error instanceof LoreleyError && error.code === 'state-conflict') return undefined
    throw error
  }
}

/** What stands in the way of a campaign now, one sentence each with its remedy. */
export async function findObstacles(
  tools: RepositoryTools,
  campaign: string,
  config: CampaignConfig,
): Promise<readonly string[]> {
  return sayAll(await lookAround(tools, campaign, config), 'blocked')
}

async function lookAround(tools: RepositoryTools, campaign: string, config: CampaignConfig) {
  const needsKey = config.agent.use === 'openai'
  return await preflight(tools.api, { campaign, workflow: WORKFLOW_FILE, needsKey })
}

function sayAll(findings: readonly Finding[], wanted: Finding['state']): readonly string[] {
  return findings.filter(({ state }) => state === wanted).map(({ message, remedy }) => `${message} ${remedy}`)
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
