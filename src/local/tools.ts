import type { Agent } from '../agents/agent.ts'
import type { CampaignConfig } from '../config/campaign-config.ts'
import type { Campaign } from '../core/campaign.ts'
import { createGuard, type Guard } from '../guard/guard.ts'
import { findEvaluatorFiles } from '../pipeline/evaluator-files.ts'
import { openWorkshop, type Workshop } from '../pipeline/workshop.ts'
import type { LocalGit } from '../store/local-store.ts'
import type { Snapshot } from '../store/state-store.ts'
import type { LocalRunOrder } from './run-order.ts'

/** What every job of a campaign needs. */
export interface CampaignTools {
  readonly campaign: string
  readonly config: CampaignConfig
  readonly root: Campaign['root']
  readonly git: LocalGit
  readonly workshop: Workshop
  readonly guard: Guard
  readonly agent: Agent
  readonly workPlace: string
  readonly path: string
  readonly passedEnvironment: Readonly<Record<string, string>>
  readonly owner: string
  /** Whether a candidate with this tree has finished before. */
  isKnownTree(tree: string): Promise<boolean>
}

/** Prepares what the jobs need: the workshop, with the set-up done once, and the guard. */
export async function createTools(
  order: LocalRunOrder,
  root: Campaign['root'],
  current: () => Snapshot | undefined,
): Promise<CampaignTools> {
  const { git, config, places, path, passedEnvironment } = order
  const workshop = await openWorkshop({
    repository: git.repository,
    objects: git.objects,
    place: places.workshops,
    rootTree: root.tree,
    evaluation: config.evaluation,
    path,
    passedEnvironment,
    owner: places.work,
    signal: order.signal,
  })
  const tracked = new Set(workshop.rootFiles.map((file) => file.path))
  const { editable, protected: protectedPaths, maxFiles, maxFileBytes, maxChangeBytes } = config.scope
  return {
    campaign: config.name,
    config,
    root,
    git,
    workshop,
    guard: createGuard({
      editable,
      protected: protectedPaths,
      evaluatorFiles: findEvaluatorFiles(config.evaluation, tracked),
      maxFiles,
      maxFileBytes,
      maxTotalBytes: maxChangeBytes,
    }),
    agent: order.agent,
    workPlace: places.work,
    path,
    passedEnvironment,
    owner: places.work,
    isKnownTree: async (tree) => {
      const snapshot = current()
      if (snapshot === undefined) return false
      const { state } = await git.store.withTrees(snapshot, [tree])
      return state.trees.get(tree.slice(0, 2))?.has(tree) === true
    },
  }
}
