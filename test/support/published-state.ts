import type { CampaignConfig } from '../../src/config/campaign-config.ts'
import type { Campaign, CampaignState, Job } from '../../src/core/campaign.ts'
import { aCampaign, aResult } from './builders.ts'
import { begun } from './campaign-steps.ts'
import { aStore, commit } from './store.ts'

/** Writes the branch `loreley/state` of a repository: a campaign that waits for its first job of the given kind. */
export async function publishState(
  folder: string,
  { config, root, kind }: { config: CampaignConfig; root: Campaign['root']; kind: Job['kind'] },
): Promise<CampaignState> {
  const store = await aStore(folder)
  const metrics = Object.fromEntries(config.objectives.map(({ metric }) => [metric, 1]))
  const start = aCampaign({ id: config.name, config, order: 'arrival', root })
  const measured = aResult(0, { commit: root.commit, tree: root.tree, metrics })
  const state = kind === 'baseline' ? start : withKind(begun(start, measured), kind)
  await commit(store, undefined, state, config)
  return state
}

// Its first job builds on the root: as a confirmation it measures the root once more.
function withKind(state: CampaignState, kind: Job['kind']): CampaignState {
  return { ...state, jobs: new Map([...state.jobs].map(([ordinal, job]) => [ordinal, { ...job, kind }])) }
}
