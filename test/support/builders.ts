import { createHash } from 'node:crypto'
import type { Brief } from '../../src/agents/agent.ts'
import type { CampaignConfig, LimitsConfig } from '../../src/config/campaign-config.ts'
import { resolveCampaign } from '../../src/config/resolve.ts'
import { campaignSchema } from '../../src/config/schema/campaign.ts'
import type { Archive, Elite } from '../../src/core/archive/archive.ts'
import { createArchive } from '../../src/core/archive/cell-archive.ts'
import { NO_USAGE } from '../../src/core/budget/budget.ts'
import type { CampaignState } from '../../src/core/campaign/campaign.ts'
import type { SearchConfig } from '../../src/core/campaign/engine-config.ts'
import type { JobResult } from '../../src/core/campaign/job.ts'
import { type CampaignStart, createCampaign } from '../../src/core/campaign/start.ts'
import type { Objective } from '../../src/core/measuring/objective.ts'
import type { Card } from '../../src/core/planning/recall.ts'

/** A full object id that stands for a text. */
export function anObjectId(text: string | number): string {
  return createHash('sha1').update(`${text}`).digest('hex')
}

export const MORE_SCORE: Objective = { metric: 'score', direction: 'maximize' }
export const LESS_TIME: Objective = { metric: 'time', direction: 'minimize' }

interface ConfigChanges {
  readonly objectives?: readonly Objective[]
  readonly search?: Partial<SearchConfig>
  readonly limits?: Partial<LimitsConfig>
}

/** A config that maximises `score` over the metric axes `x` and `y`, with the schema's other defaults. */
export function aConfig({ objectives = [MORE_SCORE], search, limits }: ConfigChanges = {}): CampaignConfig {
  const input = { goal: 'Better.', objectives, evaluation: { command: 'true' } }
  const config = resolveCampaign('demo', campaignSchema.parse({ ...input, scope: { editable: ['src/**'] } }))
  const axes = ['x', 'y'].map((metric) => ({ kind: 'metric' as const, metric, min: 0, max: 1 }))
  return {
    ...config,
    search: { ...config.search, descriptor: 'metrics', axes, ...search },
    limits: { ...config.limits, candidates: 20, ...limits },
  }
}

/** A brief without history: to mutate the root. */
export function aBrief(changes: Partial<Brief> = {}): Brief {
  return {
    goal: 'Better.',
    constraints: [],
    acceptance: [],
    notes: '',
    objectives: [{ metric: 'score', direction: 'maximize' }],
    operator: 'mutate',
    parent: aCard(0),
    inspirations: [],
    lessons: [],
    failures: [],
    scope: { editable: ['src/**'], protected: [] },
    ...changes,
  }
}

/** What is known of a candidate of which nothing is known. */
export function aCard(ordinal: number, changes: Partial<Card> = {}): Card {
  return { ordinal, path: [], ...changes }
}

/** An elite whose ids follow its ordinal. */
export function anElite(changes: Partial<Elite> = {}): Elite {
  const ordinal = changes.ordinal ?? 1
  return {
    ordinal,
    commit: anObjectId(`commit ${ordinal}`),
    tree: anObjectId(`tree ${ordinal}`),
    value: [1],
    descriptor: [0.5, 0.5],
    ...changes,
  }
}

/** A 4 by 4 grid that maximises `score`, with the given elites added in their order. */
export function anArchive(elites: readonly Elite[] = [], objectives = [MORE_SCORE]): Archive {
  const archive = createArchive({ kind: 'grid', sizes: [4, 4] }, { objectives })
  for (const elite of elites) archive.add(elite)
  return archive
}

type MeasuredResult = Extract<JobResult, { status: 'measured' }>

/** A measured candidate with ids that follow `name`, in the middle of the axes. */
export function aResult(name: string | number, changes: Partial<MeasuredResult> = {}): MeasuredResult {
  return {
    status: 'measured',
    commit: anObjectId(`commit ${name}`),
    tree: anObjectId(`tree ${name}`),
    metrics: { score: 1, x: 0.5, y: 0.5 },
    samples: [],
    change: { files: 1, linesAdded: 2, linesRemoved: 1 },
    summary: `changed ${name}`,
    usage: NO_USAGE,
    ...changes,
  }
}

type FailedResult = Extract<JobResult, { status: 'failed' }>

/** A candidate that failed before it could be measured. */
export function aFailure(changes: Partial<FailedResult> = {}): FailedResult {
  return { status: 'failed', reason: 'gate-failed', detail: 'exit code 1', usage: NO_USAGE, ...changes }
}

export const ROOT = { commit: anObjectId('commit 0'), tree: anObjectId('tree 0'), seconds: 1_700_000_000 }

/** A new campaign in ordinal order, with the whole (empty) tree index at hand. */
export function aCampaign(changes: Partial<CampaignStart> = {}): CampaignState {
  const state = createCampaign({
    id: 'demo',
    config: aConfig(),
    order: 'ordinal',
    root: ROOT,
    reserved: NO_USAGE,
    evaluator: 'e'.repeat(64),
    ...changes,
  })
  return withAllTrees(state)
}

/** The state with every part of the tree index loaded, those of unknown trees as empty. */
export function withAllTrees(state: CampaignState): CampaignState {
  const parts = Array.from({ length: 256 }, (_, part) => part.toString(16).padStart(2, '0'))
  return { ...state, trees: new Map(parts.map((part) => [part, state.trees.get(part) ?? new Map()])) }
}
