import { onTestFinished } from 'vitest'
import type { CampaignState } from '../../src/core/campaign/campaign.ts'
import { ObjectStore } from '../../src/git/objects/object-store.ts'
import { RefWriter } from '../../src/git/refs.ts'
import { openRepository } from '../../src/git/repository.ts'
import { encodeCampaign } from '../../src/store/encode.ts'
import { LocalStore } from '../../src/store/local-store.ts'
import type { Change, Revision, Snapshot, StateStore } from '../../src/store/state-store.ts'
import { aConfig } from './builders.ts'
import { START } from './campaign-steps.ts'
import { gitEnvironment } from './repository.ts'

/** The store of a repository; its git processes end with the test. */
export async function aStore(folder: string): Promise<LocalStore> {
  const repository = await openRepository(folder, gitEnvironment)
  const objects = new ObjectStore(repository)
  const refs = new RefWriter(repository)
  onTestFinished(async () => {
    await Promise.all([objects.close(), refs.close()])
  })
  return new LocalStore({ repository, objects, refs })
}

/** What a host commits for a state. */
export function aChange(state: CampaignState, config = aConfig()): Change {
  const pages = new Map([['README.md', `# ${state.campaign.id}\n`]])
  return { state, config, pages, subject: `${state.campaign.id}: test`, at: START }
}

/** Commits a state; a conflict fails the test. */
export async function commit(
  store: StateStore,
  base: Revision | undefined,
  state: CampaignState,
  config = aConfig(),
): Promise<Snapshot> {
  const outcome = await store.commit(base, aChange(state, config))
  if (outcome.status === 'conflict') throw new Error('the commit met a conflict')
  return outcome.snapshot
}

/** Loads a campaign that must be there. */
export async function load(store: StateStore, id = 'demo'): Promise<Snapshot> {
  const snapshot = await store.load(id)
  if (snapshot === undefined) throw new Error(`there is no campaign ${id}`)
  return snapshot
}

/** All that a state holds as plain data: the archive's contents are private to it. */
export function contentOf(state: CampaignState, config = aConfig()) {
  return {
    documents: encodeCampaign({ state, config }),
    ledger: state.ledger,
    members: state.archive.members(),
    jobs: state.jobs,
    campaign: state.campaign,
  }
}
