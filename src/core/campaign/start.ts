import { archiveRules, createArchive } from '../archive/cell-archive.ts'
import type { ArchiveShape } from '../archive/cells.ts'
import { createCentroids } from '../archive/cvt.ts'
import { gridSizes } from '../archive/grid.ts'
import type { Reserve } from '../budget/budget.ts'
import { NO_USAGE } from '../budget/budget.ts'
import { UNFITTED } from '../space/projection.ts'
import type { Campaign, CampaignState } from './campaign.ts'
import { type Direction, NO_CONTROL } from './control.ts'
import type { EngineConfig } from './engine-config.ts'
import type { Job } from './job.ts'

export interface CampaignStart {
  readonly id: string
  readonly config: EngineConfig
  readonly order: Campaign['order']
  readonly root: Campaign['root']
  readonly reserved: Reserve
  /** Digest of the evaluator. */
  readonly evaluator: string
  /** Digest of the embedder; undefined if no axis is learned. */
  readonly embedder?: string | undefined
  readonly direction?: Direction | undefined
  readonly nonce?: string | undefined
}

/** A new campaign. Only its root is known; measuring it is the first job. */
export function createCampaign(start: CampaignStart): CampaignState {
  const { config } = start
  const { search } = config
  const campaign: Campaign = {
    id: start.id,
    nonce: start.nonce,
    order: start.order,
    window: search.window,
    warmUp: warmUpOf(config),
    epoch: 1,
    evaluator: start.evaluator,
    embedder: start.embedder,
    renewing: [],
    root: start.root,
    status: { phase: 'baseline' },
    nextOrdinal: 1,
    finished: 0,
    used: NO_USAGE,
    reserved: start.reserved,
    activeMs: 0,
    search: { children: {}, recipes: [], improvedAt: 0, sameFailure: { count: 0 }, repairable: [] },
    control: { ...NO_CONTROL, direction: start.direction },
  }
  return {
    config,
    campaign,
    archive: createArchive(createShape(config), archiveRules(config)),
    projection: UNFITTED,
    jobs: new Map([[0, createBaselineJob(campaign, { ordinal: 0, attempt: 1 })]]),
    ledger: { count: 0, tail: [] },
    trees: new Map(),
  }
}

// `champion` and `independent` need no diverse seeds.
function warmUpOf({ search, limits: { candidates } }: EngineConfig): number {
  if (search.policy === 'champion' || search.policy === 'independent') return 0
  if (search.warmUp !== undefined) return search.warmUp
  if (search.policy === 'qd') return clamp(Math.round(candidates / 4), 6, 30)
  return Math.ceil(Math.min(candidates / 8, Math.max(16, candidates / 16)))
}

// About eight candidates of an island compete for each cell. With fewer, most elites would never face a rival.
function createShape({ search, limits }: EngineConfig): ArchiveShape {
  const cells = search.cells ?? clamp(Math.round(limits.candidates / search.islands / 8), 9, 256)
  const axes = search.axes.length
  return search.archive === 'cvt'
    ? { kind: 'cvt', centroids: createCentroids(cells, axes, search.seed) }
    : { kind: 'grid', sizes: gridSizes(cells, axes) }
}

/** The job that measures the root: the first job of the campaign and of every epoch. */
export function createBaselineJob(
  { root }: Pick<Campaign, 'root'>,
  { ordinal, attempt }: Pick<Job, 'ordinal' | 'attempt'>,
): Job {
  const parent = { ordinal: 0, commit: root.commit, tree: root.tree }
  return { ordinal, attempt, kind: 'baseline', operator: 'fresh', parent, inspirations: [] }
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value))
}
