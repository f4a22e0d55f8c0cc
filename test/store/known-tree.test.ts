import { describe, expect, it } from 'vitest'
import { reconfigure } from '../../src/core/measuring/epoch.ts'
import { isKnownSince, isKnownTree } from '../../src/store/known-tree.ts'
import { aCampaign, anObjectId, aResult, withAllTrees } from '../support/builders.ts'
import { begun, finished, step } from '../support/campaign-steps.ts'
import { aRepository } from '../support/repository.ts'
import { aStore, commit } from '../support/store.ts'

const TREE = anObjectId('a tree')

/** A campaign whose jobs were given out, and the same after one of them was judged. */
async function twoSnapshots() {
  const store = await aStore(aRepository())
  const start = begun(aCampaign())
  const given = await commit(store, undefined, start)
  const judged = step(start, finished(1, aResult(1, { tree: TREE }))).state
  return { store, given, now: await commit(store, given.revision, judged) }
}

describe('a tree that was judged since a job was given out', () => {
  it('a tree that was judged since is known now, and was not then', async () => {
    const { store, given, now } = await twoSnapshots()
    expect(await isKnownTree(store, given, TREE)).toBe(false)
    expect(await isKnownSince(store, { given, now }, TREE)).toBe(true)
    expect(await isKnownSince(store, { given, now }, anObjectId('another'))).toBe(false)
  })

  it('a tree that was judged since says nothing when something else measures now', async () => {
    const { store, given, now } = await twoSnapshots()
    const { embedder, reserved } = now.state.campaign
    const change = { config: now.state.config, evaluator: anObjectId('other evaluator'), embedder, reserved }
    const renewed = reconfigure(withAllTrees(now.state), change)
    const epoch = renewed.campaign.epoch
    const tree = anObjectId('measured in the new epoch')
    const later = step(renewed, finished(renewed.campaign.nextOrdinal - 1, aResult(0, { tree }))).state
    const other = await commit(store, now.revision, later)
    expect(epoch).toBe(now.state.campaign.epoch + 1)
    expect(await isKnownTree(store, other, tree)).toBe(true)
    expect(await isKnownSince(store, { given, now: other }, tree)).toBe(false)
  })
})
