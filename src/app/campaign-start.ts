import { randomBytes } from 'node:crypto'
import type { CampaignConfig } from '../config/campaign-config.ts'
import { digestEmbedder } from '../config/embedder-identity.ts'
import { findRunnerFault } from '../config/embedder-key.ts'
import { mostUsage } from '../config/most-usage.ts'
import type { Direction } from '../core/campaign/control.ts'
import { createCampaign } from '../core/campaign/start.ts'
import { type ErrorCode, LoreleyError } from '../errors.ts'
import { checkElites } from '../github/elite-places.ts'
import type { Finding } from '../github/finding.ts'
import { preflight } from '../github/preflight.ts'
import { RefUpdates } from '../github/ref-updates.ts'
import { readCommit } from '../github/repository-facts.ts'
import { digestOfRoot } from '../github/root-guard.ts'
import { CampaignLoop } from '../host/loop.ts'
import { renderPages } from '../reports/pages.ts'
import type { Snapshot, StoredCampaign } from '../store/state-store.ts'
import { type RepositoryTools, WORKFLOW_FILE } from './repository-tools.ts'
import { pinRunner, reserveRunner } from './runner-branch.ts'

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
  const head = await new RefUpdates(tools.api, 'state').find(`refs/heads/${tools.defaultBranch}`)
  if (head === undefined) return { status: 'blocked', reasons: [`${tools.defaultBranch} has no commit.`] }
  const reserved = await reserveRunner(tools, id, head)
  if (reserved.status === 'refused') return { status: 'blocked', reasons: [reserved.message] }
  const root = { commit: head, ...(await readCommit(tools.api, head)) }
  const elites = checkElites(config, await tools.elitePlaces.look({ campaign: id, root }))
  const nonce = randomBytes(8).toString('hex')
  const evaluator = await digestOfRoot(tools, config, root.tree)
  const embedder = digestEmbedder(config)
  const start = {
    id,
    config,
    order: 'arrival',
    root,
    reserved: mostUsage(config),
    evaluator,
    embedder,
    direction,
    nonce,
  } as const
  const state = createCampaign(start)
  const begun = await begin(tools, { state, config })
  if (begun instanceof LoreleyError) return await explainConflict(tools, id, begun)
  // Only whoever wrote the first state moves what others have made: its root is the one that counts.
  const pinned = reserved.status === 'stands' ? await pinRunner(tools, state.campaign) : undefined
  const refusals = pinned?.status === 'refused' ? [pinned.message] : []
  const warnings = [...sayAll([...findings, elites], 'warning'), ...refusals]
  return { status: 'started', snapshot: begun, warnings }
}

const CONFLICTS: readonly ErrorCode[] = ['state-conflict', 'state-refused']

async function begin(tools: RepositoryTools, stored: StoredCampaign): Promise<Snapshot | LoreleyError> {
  try {
    return (await CampaignLoop.start(hostOf(tools), stored)).snapshot
  } catch (error) {
    if (error instanceof LoreleyError && CONFLICTS.includes(error.code)) return error
    throw error
  }
}

// Classic protection cannot be read: that the first commit is refused is how it shows, and GitHub's words say why.
async function explainConflict(
  { store }: RepositoryTools,
  campaign: string,
  { message, hint }: LoreleyError,
): Promise<StartOutcome> {
  const isBegun = (await store.folders()).has(campaign)
  return isBegun ? { status: 'overtaken' } : { status: 'blocked', reasons: [`${message} ${hint}`] }
}

/** What stands in the way of a campaign now, one sentence each with its remedy. */
export async function findObstacles(
  tools: RepositoryTools,
  campaign: string,
  config: CampaignConfig,
  root?: string,
): Promise<readonly string[]> {
  return sayAll(await lookAround(tools, campaign, config, root), 'blocked')
}

async function lookAround(tools: RepositoryTools, campaign: string, config: CampaignConfig, root?: string) {
  const { agent, embedder } = config
  const needsKey = [agent.use, agent.planner, embedder.use].includes('openai')
  const order = { campaign, workflow: WORKFLOW_FILE, needsKey }
  const findings = await preflight(tools.api, root === undefined ? order : { ...order, ref: root })
  const fault = findRunnerFault(config)
  if (fault === undefined) return findings
  const blocked = {
    topic: 'environment',
    state: 'blocked',
    message: fault.message,
    remedy: fault.hint,
  } as const
  return [...findings, blocked]
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
