import { randomBytes } from 'node:crypto'
import type { CampaignConfig } from '../../config/campaign-config.ts'
import { digestEmbedder } from '../../config/embedder-identity.ts'
import { findRunnerFault } from '../../config/environment/embedder-key.ts'
import { mostUsage } from '../../config/most-usage.ts'
import type { Direction } from '../../core/campaign/control.ts'
import { createCampaign } from '../../core/campaign/start.ts'
import { type ErrorCode, LoreleyError } from '../../errors.ts'
import { RefUpdates } from '../../github/git/ref-updates.ts'
import { digestOfRoot } from '../../github/git/root-guard.ts'
import { checkElites } from '../../github/preflight/elite-namespace.ts'
import type { Finding } from '../../github/preflight/finding.ts'
import { preflight } from '../../github/preflight/preflight.ts'
import { readCommit } from '../../github/repository-facts.ts'
import { pinRunner, reserveRunner } from '../../github/runs/runner-branch.ts'
import { renderPages } from '../../reports/campaign/pages.ts'
import { CampaignLoop } from '../../store/campaign-loop.ts'
import type { Snapshot, StoredCampaign } from '../../store/state-store.ts'
import type { ApiPort, ClockPort, DefaultBranchPort, ElitesPort, StatePort, TreesPort } from '../ports.ts'
import { WORKFLOW_FILE } from '../runs/workflow.ts'

export type StartPorts = ApiPort & StatePort & ClockPort & TreesPort & ElitesPort & DefaultBranchPort

export type StartOutcome =
  /** `warnings` name what GitHub may refuse later, one sentence each with its remedy. */
  | { readonly status: 'started'; readonly snapshot: Snapshot; readonly warnings: readonly string[] }
  /** Another process started it first. */
  | { readonly status: 'overtaken' }
  /** The obstacles, one sentence each with its remedy. */
  | { readonly status: 'blocked'; readonly reasons: readonly string[] }

export interface StartRequest {
  readonly id: string
  readonly config: CampaignConfig
  readonly direction?: Direction | undefined
}

/** The name of the campaign that an issue starts. */
export function campaignId(config: string, issue: number): string {
  const suffix = `-${issue}`
  return `${config.slice(0, 40 - suffix.length)}${suffix}`
}

/** Runs the preflight, pins the branch for its runs, and commits the first state. */
export async function startCampaign(ports: StartPorts, request: StartRequest): Promise<StartOutcome> {
  const { id, config, direction } = request
  const findings = await runPreflight(ports, id, config)
  const reasons = sayAll(findings, 'blocked')
  if (reasons.length > 0) return { status: 'blocked', reasons }
  const head = await new RefUpdates(ports.api, 'state').find(`refs/heads/${ports.defaultBranch}`)
  if (head === undefined) return { status: 'blocked', reasons: [`${ports.defaultBranch} has no commit.`] }
  const reserved = await reserveRunner(ports, id, head)
  if (reserved.status === 'refused') return { status: 'blocked', reasons: [reserved.message] }
  const root = { commit: head, ...(await readCommit(ports.api, head)) }
  const elites = checkElites(config, await ports.eliteNamespaces.look({ campaign: id, root }))
  const nonce = randomBytes(8).toString('hex')
  const evaluator = await digestOfRoot(ports, config, root.tree)
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
  const begun = await begin(ports, { state, config })
  if (begun instanceof LoreleyError) return await explainConflict(ports, id, begun)
  // Only the process that wrote the first state may move an existing branch, because its root counts.
  const pinned = reserved.status === 'stands' ? await pinRunner(ports, state.campaign) : undefined
  const refusals = pinned?.status === 'refused' ? [pinned.message] : []
  const warnings = [...sayAll([...findings, elites], 'warning'), ...refusals]
  return { status: 'started', snapshot: begun, warnings }
}

const CONFLICTS: readonly ErrorCode[] = ['state-conflict', 'state-refused']

async function begin(ports: StartPorts, stored: StoredCampaign): Promise<Snapshot | LoreleyError> {
  try {
    return (await CampaignLoop.start(hostOf(ports), stored)).snapshot
  } catch (error) {
    if (error instanceof LoreleyError && CONFLICTS.includes(error.code)) return error
    throw error
  }
}

// Classic branch protection cannot be read. It shows when GitHub refuses the first commit and says why.
async function explainConflict(
  { store }: StartPorts,
  campaign: string,
  { message, hint }: LoreleyError,
): Promise<StartOutcome> {
  const isBegun = (await store.folders()).has(campaign)
  return isBegun ? { status: 'overtaken' } : { status: 'blocked', reasons: [`${message} ${hint}`] }
}

/** The current obstacles to a campaign, one sentence each with its remedy. */
export async function findObstacles(
  ports: StartPorts,
  campaign: string,
  config: CampaignConfig,
  root?: string,
): Promise<readonly string[]> {
  return sayAll(await runPreflight(ports, campaign, config, root), 'blocked')
}

async function runPreflight(ports: StartPorts, campaign: string, config: CampaignConfig, root?: string) {
  const { agent, embedder } = config
  const needsKey = [agent.use, agent.planner, embedder.use].includes('openai')
  const request = { campaign, workflow: WORKFLOW_FILE, needsKey }
  const findings = await preflight(ports.api, root === undefined ? request : { ...request, ref: root })
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

function hostOf({ store, clock }: StartPorts) {
  return {
    store,
    renderPages,
    now: () => new Date(clock.now()),
    jitter: () => clock.jitter(),
    // The first step performs the effects.
    perform: async () => undefined,
  }
}
