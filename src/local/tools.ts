import type { Agent } from '../agents/agent.ts'
import type { Campaign, Job, LedgerEntry } from '../core/campaign.ts'
import { planMeasurement } from '../core/measurement-plan.ts'
import { evaluateJob, type Measurement } from '../pipeline/evaluate-job.ts'
import { createJobSetting, type JobSetting, placeOf } from '../pipeline/job-setting.ts'
import type { MeasurementOrder } from '../pipeline/measuring-runs.ts'
import type { LocalGit } from '../store/local-store.ts'
import type { Snapshot } from '../store/state-store.ts'
import type { Transcripts } from '../store/transcripts.ts'
import { History } from './history.ts'
import type { LocalRunOrder } from './run-order.ts'

/** What a job measures. */
export type Subject = Pick<MeasurementOrder, 'tree' | 'changes' | 'rivalChanges'>

/** What every job of a campaign needs on this machine. */
export interface CampaignTools {
  readonly campaign: string
  readonly root: Campaign['root']
  readonly git: LocalGit
  readonly setting: JobSetting
  readonly agent: Agent
  /** Measures a job's tree. Where numbers vary, one at a time: two at once would disturb each other. */
  measure(job: Job, subject: Subject, signal: AbortSignal): Promise<Measurement>
  /** The first so many lines of the ledger, by ordinal. */
  readHistory(lines: number): Promise<ReadonlyMap<number, LedgerEntry>>
  /** Keeps what an agent said, when it said something. */
  keepTranscript(ordinal: number, text: string | undefined): void
  /** Whether a candidate with this tree has finished before. */
  isKnownTree(tree: string): Promise<boolean>
}

/** What the jobs read from and write to besides the repository. */
export interface ToolsSources {
  readonly current: () => Snapshot | undefined
  readonly transcripts: Transcripts
}

/** Prepares what the jobs need. */
export async function createTools(
  order: LocalRunOrder,
  root: Campaign['root'],
  { current, transcripts }: ToolsSources,
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
    vectorCache: places.vectors,
    embedderKey: order.embedderKey,
  })
  const history = new History(git.store, current)
  return {
    campaign: config.name,
    root,
    git,
    setting,
    agent: order.agent,
    keepTranscript: (ordinal, text) => transcripts.add(ordinal, text),
    measure: createMeasure(setting, current),
    readHistory: (lines) => history.first(lines),
    isKnownTree: async (tree) => {
      const snapshot = current()
      if (snapshot === undefined) return false
      const { state } = await git.store.withTrees(snapshot, [tree])
      return state.trees.get(tree.slice(0, 2))?.has(tree) === true
    },
  }
}

function createMeasure(setting: JobSetting, current: () => Snapshot | undefined): CampaignTools['measure'] {
  let last: Promise<unknown> = Promise.resolve()
  return async (job, subject, signal) => {
    const state = current()?.state
    if (state === undefined) throw new RangeError('measure: the campaign has no state yet')
    const plan = planMeasurement({ ...state, config: setting.config }, job)
    const order = { ...subject, base: job.parent.tree, place: placeOf(setting, job), plan }
    const work = (): Promise<Measurement> => evaluateJob(setting, order, signal)
    if (plan.kind === 'once') return await work()
    const turn = last.then(work, work)
    last = turn
    return await turn
  }
}
