import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { planRehearsal } from '../core/measuring/measurement-plan.ts'
import { readCommit } from '../git/objects/commits.ts'
import { evaluateJob, type Measurement } from '../pipeline/evaluate-job.ts'
import { createJobSetting } from '../pipeline/job-setting.ts'
import { killOwned } from '../process/kill.ts'
import { isolateLocally } from './local-isolation.ts'
import type { LocalRunOrder } from './run-order.ts'

/** What it takes to measure a root, without a campaign. */
export type TryOrder = Pick<
  LocalRunOrder,
  'git' | 'config' | 'places' | 'home' | 'path' | 'passedEnvironment' | 'embedderKey' | 'signal'
>

/** Measures a commit with all that a campaign will ever ask of its evaluator, and keeps nothing of it. */
export async function tryRoot(order: TryOrder, commit: string): Promise<Measurement> {
  const { git, config, places, home, path } = order
  const { tree } = await readCommit(git.objects, commit)
  // Not the folder of a campaign, which may be under way.
  const workPlace = join(places.campaign, 'validate')
  try {
    // As candidates will be measured: isolation costs time, and that belongs to the figures.
    const machine = { repository: git.repository, places, trialPlace: workPlace, home, path }
    const { isolation } = await isolateLocally(machine, config.evaluation)
    const setting = await createJobSetting({
      config,
      repository: git.repository,
      objects: git.objects,
      rootTree: tree,
      workshopPlace: places.workshops,
      workPlace,
      path,
      isolation,
      passedEnvironment: order.passedEnvironment,
      signal: order.signal,
      embedderKey: order.embedderKey,
    })
    const plan = planRehearsal(config.evaluation)
    return await evaluateJob(setting, { place: workPlace, tree, base: tree, changes: [], plan }, order.signal)
  } finally {
    await killOwned(workPlace)
    await rm(workPlace, { recursive: true, force: true, maxRetries: 5 })
  }
}
