import { join } from 'node:path'
import type { CampaignConfig } from '../config/campaign-config.ts'
import type { Job } from '../core/campaign/job.ts'
import type { ObjectStore } from '../git/objects/object-store.ts'
import type { Repository } from '../git/repository.ts'
import { createCampaignGuard } from '../guard/campaign-guard.ts'
import type { Guard } from '../guard/guard.ts'
import type { Isolation } from '../process/isolation/isolation.ts'
import { createDescriber, type Describer } from './describer.ts'
import { openWorkshop, type Workshop } from './workshop.ts'

/** What every job of a campaign is run with, on whatever host. */
export interface JobSetting {
  readonly config: CampaignConfig
  readonly objects: ObjectStore
  readonly workshop: Workshop
  readonly guard: Guard
  /** There when axes are learned. */
  readonly describer?: Describer | undefined
  /** Folders of candidates under way are made below it. */
  readonly workPlace: string
  readonly path: string
  /** What `evaluation.environment` lets the commands see. */
  readonly passedEnvironment: Readonly<Record<string, string>>
  /** Marks every process, so that they are found again after a crash. */
  readonly owner: string
  /** How candidate code is kept apart; undefined: it runs as us. */
  readonly isolation?: Isolation | undefined
}

export interface JobSettingOrder {
  readonly config: CampaignConfig
  readonly repository: Repository
  readonly objects: ObjectStore
  readonly rootTree: string
  readonly workshopPlace: string
  readonly workPlace: string
  readonly path: string
  readonly passedEnvironment: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  readonly isolation?: Isolation | undefined
  /** Where vectors of files are kept from run to run. */
  readonly vectorCache?: string | undefined
  /** The key of the embedder, if it needs one. */
  readonly embedderKey?: string | undefined
}

/** Prepares what the jobs of one root have in common: the workshop, with the set-up done once, and the guard. */
export async function createJobSetting(order: JobSettingOrder): Promise<JobSetting> {
  const { config, objects, path, passedEnvironment, workPlace, isolation } = order
  const workshop = await openWorkshop({
    repository: order.repository,
    objects,
    place: order.workshopPlace,
    rootTree: order.rootTree,
    evaluation: config.evaluation,
    path,
    passedEnvironment,
    owner: workPlace,
    signal: order.signal,
  })
  const guard = await createCampaignGuard(config, workshop.rootFiles, async (blob) =>
    (await objects.get(blob, 'blob')).toString('utf8'),
  )
  const describer = await createDescriber({
    config,
    objects,
    workshop,
    cacheFolder: order.vectorCache,
    key: order.embedderKey,
    workPlace,
    path,
  })
  const own = { workPlace, path, passedEnvironment, owner: workPlace, isolation }
  return { config, objects, workshop, guard, describer, ...own }
}

/** The folder of one job's own. */
export function placeOf(setting: JobSetting, job: Job): string {
  return join(setting.workPlace, `${job.ordinal}-${job.attempt}`)
}
