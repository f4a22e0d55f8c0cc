import type { Campaign } from '../core/campaign/campaign.ts'
import { planMeasurement } from '../core/measuring/measurement-plan.ts'
import { evaluateJob, type Measurement } from '../pipeline/evaluate-job.ts'
import { createJobSetting, type JobSetting } from '../pipeline/job-setting.ts'
import type { ProposingHost } from '../pipeline/propose-candidate.ts'
import type { MeasuringHost } from '../pipeline/run-candidate.ts'
import type { Isolation } from '../process/isolation/isolation.ts'
import { isKnownTree } from '../store/known-tree.ts'
import type { LocalGit } from '../store/local-refs.ts'
import type { Snapshot } from '../store/state-store.ts'
import type { Transcripts } from '../store/transcripts.ts'
import { History } from './history.ts'
import { idOf, type LocalRunOrder } from './run-order.ts'
import { findWaiting, Twins } from './twins.ts'

/** What every job of a campaign needs on this machine. */
export interface CampaignTools extends ProposingHost, MeasuringHost {
  readonly campaign: string
  readonly root: Campaign['root']
  readonly git: LocalGit
  readonly setting: JobSetting
  /** Keeps what an agent said, when it said something. */
  keepTranscript(ordinal: number, text: string | undefined): void
}

/** What the jobs read from and write to besides the repository. */
export interface ToolsSources {
  readonly current: () => Snapshot | undefined
  readonly transcripts: Transcripts
  /** How candidate code is kept apart; undefined: it runs as us. */
  readonly isolation?: Isolation | undefined
}

/** Prepares what the jobs need. */
export async function createTools(
  order: LocalRunOrder,
  root: Campaign['root'],
  { current, transcripts, isolation }: ToolsSources,
): Promise<CampaignTools> {
  const { git, config, places, path, passedEnvironment } = order
  const setting = await createJobSetting({
    config,
    repository: git.repository,
    objects: git.objects,
    rootTree: root.tree,
    workshopPlace: places.workshops,
    workPlace: places.work,
    path,
    passedEnvironment,
    signal: order.signal,
    isolation,
    vectorCache: places.vectors,
    embedderKey: order.embedderKey,
  })
  const history = new History(git.store, current)
  return {
    campaign: idOf(order),
    root,
    git,
    setting,
    agent: order.agent,
    checksUnisolated: true,
    direction: () => current()?.state.campaign.control.direction,
    keepTranscript: (ordinal, text) => transcripts.add(ordinal, text),
    plan: (job) => {
      const state = current()?.state
      if (state === undefined) throw new RangeError('plan: the campaign has no state yet')
      return planMeasurement({ ...state, config }, job)
    },
    measure: createMeasure(setting, current),
    readHistory: (lines) => history.first(lines),
    isKnownTree: async (tree) => {
      const snapshot = current()
      return snapshot !== undefined && (await isKnownTree(git.store, snapshot, tree))
    },
  }
}

// Where numbers vary, one at a time: two at once would disturb each other.
function createMeasure(setting: JobSetting, current: () => Snapshot | undefined): CampaignTools['measure'] {
  let last: Promise<unknown> = Promise.resolve()
  const twins = new Twins()
  const measure: CampaignTools['measure'] = async (_job, request, signal) => {
    const work = (): Promise<Measurement> => evaluateJob(setting, request, signal)
    if (request.plan.kind === 'once') return await work()
    const turn = last.then(work, work)
    last = turn
    return await turn
  }
  return async (job, request, signal) => {
    const state = current()?.state
    if (job.kind !== 'candidate' || state === undefined) return await measure(job, request, signal)
    const { tree } = request
    return (
      findWaiting(state.jobs.values(), tree) ??
      (await twins.measure(`${state.campaign.epoch} ${tree}`, () => measure(job, request, signal)))
    )
  }
}
