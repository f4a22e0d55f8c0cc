import { join } from 'node:path'
import { planRehearsal } from '../core/measuring/measurement-plan.ts'
import { readCommit } from '../git/objects/commits.ts'
import { tryApart } from '../pipeline/exposure/try-apart.ts'
import { createJobContext } from '../pipeline/job-context.ts'
import { evaluateTree, type Measurement } from '../pipeline/measuring/evaluate-tree.ts'
import { removeFolder } from '../process/disk/remove-folder.ts'
import { killOwned } from '../process/kill.ts'
import { isolateLocally } from './local-isolation.ts'
import type { LocalRunRequest } from './run-request.ts'

/** A root to measure without a campaign. */
export type TryRootRequest = Pick<
  LocalRunRequest,
  'git' | 'config' | 'folders' | 'home' | 'path' | 'passedEnvironment' | 'embedderKey' | 'signal'
>

export interface RootTrial {
  readonly measured: Measurement
  /** Why the measuring command fails where only `loreley-candidate` can read the files that candidates may change. */
  readonly failsApart?: string | undefined
}

/** Runs every command that a campaign may ask of its evaluator on a commit. Keeps nothing. */
export async function tryRoot(request: TryRootRequest, commit: string): Promise<RootTrial> {
  const { git, config, folders, home, path } = request
  const { tree } = await readCommit(git.objects, commit)
  // Not the campaign's own folder: it may be running.
  const workspacesFolder = join(folders.campaign, 'validate')
  try {
    // Isolated like candidates: the figures include what isolation costs.
    const machine = { repository: git.repository, folders, trialFolder: workspacesFolder, home, path }
    const { isolation } = await isolateLocally(machine, config.evaluation)
    const context = await createJobContext({
      config,
      repository: git.repository,
      objects: git.objects,
      rootTree: tree,
      preparedRootsFolder: folders.preparedRoots,
      workspacesFolder,
      path,
      isolation,
      passedEnvironment: request.passedEnvironment,
      signal: request.signal,
      embedderKey: request.embedderKey,
    })
    const plan = planRehearsal(config.evaluation)
    const measured = await evaluateTree(
      context,
      { folder: workspacesFolder, tree, base: tree, changes: [], plan },
      request.signal,
    )
    if (measured.status !== 'measured') return { measured }
    return { measured, failsApart: await tryApart(context, workspacesFolder, request.signal) }
  } finally {
    await killOwned(workspacesFolder)
    await removeFolder(workspacesFolder)
  }
}
