import type { CampaignConfig } from '../../src/config/campaign-config.ts'
import type { Campaign, CampaignState } from '../../src/core/campaign/campaign.ts'
import type { Job } from '../../src/core/campaign/job.ts'
import type { Snapshot } from '../../src/store/state-store.ts'
import { aCampaign, aResult } from './builders.ts'
import { begun } from './campaign-steps.ts'
import { aStore, commit } from './store.ts'

interface StateToPublish {
  readonly config: CampaignConfig
  readonly root: Campaign['root']
  readonly kind: Job['kind']
  /** What the root's runs gave, where numbers vary. */
  readonly rootRuns?: readonly number[] | undefined
  /** The open jobs, instead of the campaign's own first one. */
  readonly jobs?: readonly Job[] | undefined
  /** What has happened since the campaign was created, instead of its root's measurement. */
  readonly play?: ((start: CampaignState) => CampaignState) | undefined
}

/** Writes the branch `loreley/state` of a repository: a campaign that waits for its first job of the given kind. */
export async function publishState(
  folder: string,
  { config, root, kind, rootRuns = [], jobs, play }: StateToPublish,
): Promise<Snapshot> {
  const store = await aStore(folder)
  const metricsOf = (value: number) =>
    Object.fromEntries(config.objectives.map(({ metric }) => [metric, value]))
  const samples = rootRuns.map((value) => {
    return { subject: 'candidate', stage: 'full', metrics: metricsOf(value) } as const
  })
  const start = aCampaign({ id: config.name, config, order: 'arrival', root })
  if (play !== undefined) return await commit(store, undefined, play(start), config)
  const measured = aResult(0, {
    ...{ commit: root.commit, tree: root.tree, samples, metrics: metricsOf(rootRuns[0] ?? 1) },
  })
  const state = kind === 'baseline' ? start : withKind(begun(start, measured), kind)
  return await commit(store, undefined, jobs === undefined ? state : withJobs(state, jobs), config)
}

function withJobs(state: CampaignState, jobs: readonly Job[]): CampaignState {
  const campaign = { ...state.campaign, nextOrdinal: jobs.length + 1 }
  return { ...state, campaign, jobs: new Map(jobs.map((job) => [job.ordinal, job])) }
}

// Its first job builds on the root: as a confirmation it measures the root once more.
function withKind(state: CampaignState, kind: Job['kind']): CampaignState {
  return { ...state, jobs: new Map([...state.jobs].map(([ordinal, job]) => [ordinal, { ...job, kind }])) }
}
