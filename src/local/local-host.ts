import type { Campaign } from '../core/campaign/campaign.ts'
import { planMeasurement } from '../core/measuring/measurement-plan.ts'
import { createJobContext, type JobContext } from '../pipeline/job-context.ts'
import type { ProposingHost } from '../pipeline/proposing/propose-candidate.ts'
import type { MeasuringHost } from '../pipeline/run-candidate.ts'
import type { Isolation } from '../process/isolation/isolation.ts'
import { isKnownTree } from '../store/known-tree.ts'
import type { LocalGit } from '../store/local-refs.ts'
import type { Snapshot } from '../store/state-store.ts'
import type { Transcripts } from '../store/transcripts.ts'
import { History } from './history.ts'
import { createMeasure } from './measure-queue.ts'
import { ProcessTurns } from './process-turns.ts'
import { idOf, type LocalRunRequest } from './run-request.ts'

/** What every job of a campaign needs on this machine. */
export interface LocalHost extends ProposingHost, MeasuringHost {
  readonly campaign: string
  readonly root: Campaign['root']
  readonly git: LocalGit
  readonly context: JobContext
  /** Keeps the agent's transcript, if there is one. */
  keepTranscript(ordinal: number, text: string | undefined): void
}

/** What the jobs read from and write to besides the repository. */
export interface LocalHostSources {
  readonly current: () => Snapshot | undefined
  readonly transcripts: Transcripts
  /** How candidate code is isolated; undefined: it runs as our user. */
  readonly isolation?: Isolation | undefined
}

/** Prepares what the jobs need. */
export async function createLocalHost(
  request: LocalRunRequest,
  root: Campaign['root'],
  { current, transcripts, isolation }: LocalHostSources,
): Promise<LocalHost> {
  const { git, config, folders, path, passedEnvironment } = request
  const context = await createJobContext({
    config,
    repository: git.repository,
    objects: git.objects,
    rootTree: root.tree,
    preparedRootsFolder: folders.preparedRoots,
    workspacesFolder: folders.workspaces,
    path,
    passedEnvironment,
    signal: request.signal,
    isolation,
    vectorCache: folders.vectors,
    embedderKey: request.embedderKey,
  })
  const history = new History(git.store, current)
  const turns = new ProcessTurns()
  return {
    campaign: idOf(request),
    root,
    git,
    context,
    agent: request.agent,
    checksUnisolated: true,
    direction: () => current()?.state.campaign.control.direction,
    keepTranscript: (ordinal, text) => transcripts.add(ordinal, text),
    plan: (job) => {
      const state = current()?.state
      if (state === undefined) throw new RangeError('plan: the campaign has no state yet')
      return planMeasurement({ ...state, config }, job)
    },
    measure: createMeasure(context, current, turns),
    runPrograms: (work) => turns.run(work),
    readHistory: (lines) => history.first(lines),
    isKnownTree: async (tree) => {
      const snapshot = current()
      return snapshot !== undefined && (await isKnownTree(git.store, snapshot, tree))
    },
  }
}
