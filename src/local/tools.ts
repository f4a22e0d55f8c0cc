import type { Agent } from '../agents/agent.ts'
import type { Campaign } from '../core/campaign/campaign.ts'
import type { Direction } from '../core/campaign/control.ts'
import type { Job } from '../core/campaign/job.ts'
import type { LedgerEntry } from '../core/campaign/ledger.ts'
import { planMeasurement } from '../core/measuring/measurement-plan.ts'
import { evaluateJob, type Measurement } from '../pipeline/evaluate-job.ts'
import { createJobSetting, type JobSetting, placeOf } from '../pipeline/job-setting.ts'
import type { MeasurementOrder } from '../pipeline/measuring-runs.ts'
import type { Isolation } from '../process/isolation/isolation.ts'
import { isKnownTree } from '../store/known-tree.ts'
import type { LocalGit } from '../store/local-store.ts'
import type { Snapshot } from '../store/state-store.ts'
import type { Transcripts } from '../store/transcripts.ts'
import { History } from './history.ts'
import { idOf, type LocalRunOrder } from './run-order.ts'
import { findWaiting, Twins } from './twins.ts'

/** What a job measures. */
export type Subject = Pick<MeasurementOrder, 'tree' | 'changes' | 'rivalChanges'>

/** What every job of a campaign needs on this machine. */
export interface CampaignTools {
  readonly campaign: string
  readonly root: Campaign['root']
  readonly git: LocalGit
  readonly setting: JobSetting
  readonly agent: Agent
  /** The issue that began the campaign, if one did. */
  direction(): Direction | undefined
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
    direction: () => current()?.state.campaign.control.direction,
    keepTranscript: (ordinal, text) => transcripts.add(ordinal, text),
    measure: createMeasure(setting, current),
    readHistory: (lines) => history.first(lines),
    isKnownTree: async (tree) => {
      const snapshot = current()
      return snapshot !== undefined && (await isKnownTree(git.store, snapshot, tree))
    },
  }
}

function createMeasure(setting: JobSetting, current: () => Snapshot | undefined): CampaignTools['measure'] {
  let last: Promise<unknown> = Promise.resolve()
  const twins = new Twins()
  const measure: CampaignTools['measure'] = async (job, subject, signal) => {
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
  return async (job, subject, signal) => {
    const state = current()?.state
    if (job.kind !== 'candidate' || state === undefined) return await measure(job, subject, signal)
    const { tree } = subject
    return (
      findWaiting(state.jobs.values(), tree) ??
      (await twins.measure(`${state.campaign.epoch} ${tree}`, () => measure(job, subject, signal)))
    )
  }
}
