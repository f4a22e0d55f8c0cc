import { join } from 'node:path'
import type { CampaignConfig } from '../config/campaign-config.ts'
import type { Job } from '../core/campaign/job.ts'
import type { UsedIsolation } from '../core/measuring/provenance.ts'
import type { ObjectStore } from '../git/objects/object-store.ts'
import type { Repository } from '../git/repository.ts'
import { createCampaignGuard } from '../guard/campaign-guard.ts'
import type { Guard } from '../guard/guard.ts'
import type { Isolation } from '../process/isolation/isolation.ts'
import { createDescriber, type Describer } from './describing/describer.ts'
import { type PreparedRoot, prepareRoot } from './workspace/prepared-root.ts'

/** What every job of a campaign is worked on with, on any host. */
export interface JobContext {
  readonly config: CampaignConfig
  readonly objects: ObjectStore
  readonly preparedRoot: PreparedRoot
  readonly guard: Guard
  /** Only where axes are learned. */
  readonly describer?: Describer | undefined
  /** Workspaces of running candidates lie below it. */
  readonly workspacesFolder: string
  readonly path: string
  /** What `evaluation.environment` lets the commands see. */
  readonly passedEnvironment: Readonly<Record<string, string>>
  /** Marks every process, so that the next start finds leftovers of a crash. */
  readonly owner: string
  /** How candidate code is isolated; undefined: it runs as our user. */
  readonly isolation?: Isolation | undefined
}

export interface JobContextOptions {
  readonly config: CampaignConfig
  readonly repository: Repository
  readonly objects: ObjectStore
  readonly rootTree: string
  readonly preparedRootsFolder: string
  readonly workspacesFolder: string
  readonly path: string
  readonly passedEnvironment: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  readonly isolation?: Isolation | undefined
  /** Where vectors of files are kept from run to run. */
  readonly vectorCache?: string | undefined
  /** The key of the embedder, if it needs one. */
  readonly embedderKey?: string | undefined
}

/** Prepares what the jobs of one root share: the root's files after set-up, the guard, the describer. */
export async function createJobContext(options: JobContextOptions): Promise<JobContext> {
  const { config, objects, path, passedEnvironment, workspacesFolder, isolation } = options
  const preparedRoot = await prepareRoot({
    repository: options.repository,
    objects,
    folder: options.preparedRootsFolder,
    rootTree: options.rootTree,
    evaluation: config.evaluation,
    path,
    passedEnvironment,
    owner: workspacesFolder,
    signal: options.signal,
  })
  const guard = await createCampaignGuard(config, preparedRoot.rootFiles, async (blob) =>
    (await objects.get(blob, 'blob')).toString('utf8'),
  )
  const describer = await createDescriber({
    config,
    objects,
    preparedRoot,
    cacheFolder: options.vectorCache,
    key: options.embedderKey,
    workspacesFolder,
    path,
  })
  const own = { workspacesFolder, path, passedEnvironment, owner: workspacesFolder, isolation }
  return { config, objects, preparedRoot, guard, describer, ...own }
}

/** The folder of one job. */
export function jobFolder(context: JobContext, job: Job): string {
  return join(context.workspacesFolder, `${job.ordinal}-${job.attempt}`)
}

/** What a result records about isolation. */
export function usedIsolation(isolation: Isolation | undefined): UsedIsolation {
  if (isolation === undefined) return { level: 'none', network: 'host' }
  const { level, network, user } = isolation
  return user === 'own' ? { level, network, user } : { level, network }
}
