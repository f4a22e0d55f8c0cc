import { describe, expect, it } from 'vitest'
import { rebuild } from '../../src/core/archive/rebuild.ts'
import type { LedgerEntry } from '../../src/core/campaign/ledger.ts'
import { encodeArchive } from '../../src/store/encode.ts'
import type { Snapshot, StateStore } from '../../src/store/state-store.ts'
import { aCampaign, aConfig, aResult, withAllTrees } from '../support/builders.ts'
import { BASELINE, finished, step } from '../support/campaign-steps.ts'
import { aRepository, git } from '../support/repository.ts'
import { aStore, commit, contentOf, load } from '../support/store.ts'

const config = aConfig({ search: { window: 64 }, limits: { candidates: 1000 } })
const result = (ordinal: number) =>
  ordinal === 0
    ? BASELINE
    : aResult(ordinal, { metrics: { score: ordinal % 17, x: (ordinal % 9) / 9, y: 0 } })

/** Finishes candidates up to a count of ledger lines, `atOnce` of them a commit. */
async function grow(
  store: StateStore,
  from: Snapshot | undefined,
  count: number,
  atOnce: number,
): Promise<Snapshot> {
  let snapshot = from ?? (await commit(store, undefined, aCampaign({ config }), config))
  while (snapshot.state.ledger.count < count) {
    const first = snapshot.state.ledger.count
    const ordinals = Array.from({ length: Math.min(atOnce, count - first) }, (_, index) => first + index)
    const trees = ordinals.map((ordinal) => result(ordinal).tree)
    const base = await store.withTrees(snapshot, trees)
    const { state } = step(base.state, ...ordinals.map((ordinal) => finished(ordinal, result(ordinal))))
    snapshot = await commit(store, base.revision, state, config)
  }
  return snapshot
}

async function readAll(store: StateStore, snapshot: Snapshot): Promise<LedgerEntry[]> {
  const entries: LedgerEntry[] = []
  for await (const entry of store.readLedger(snapshot)) entries.push(entry)
  return entries
}

describe('the ledger', () => {
  it.each([99, 100, 101, 250])(
    'a ledger of %d candidates comes back whole, in shards of 100 lines',
    async (count) => {
      const folder = aRepository()
      const store = await aStore(folder)
      const grown = await grow(store, undefined, count, 60)
      const loaded = await load(await aStore(folder))
      expect(contentOf(loaded.state, config)).toEqual(contentOf(grown.state, config))
      const entries = await readAll(store, loaded)
      expect(entries.map(({ ordinal }) => ordinal)).toEqual(
        Array.from({ length: count }, (_, index) => index),
      )
      const shards = git(folder, 'ls-tree', '--name-only', 'loreley/state:campaigns/demo/ledger').split('\n')
      const lines = shards.map(
        (name) => git(folder, 'show', `loreley/state:campaigns/demo/ledger/${name}`).split('\n').length,
      )
      const full = Array.from({ length: Math.floor(count / 100) }, () => 100)
      expect(lines).toEqual(count % 100 === 0 ? full : [...full, count % 100])
      const rebuilt = rebuild(loaded.state, entries).archive
      expect(encodeArchive(rebuilt, 1)).toBe(encodeArchive(loaded.state.archive, 1))
    },
  )

  it('never rewrites a full shard, nor touches more than a few documents a commit', async () => {
    const folder = aRepository()
    const store = await aStore(folder)
    const full = await grow(store, undefined, 130, 65)
    const shard = () => git(folder, 'rev-parse', 'loreley/state:campaigns/demo/ledger/000.jsonl')
    const before = shard()
    await grow(store, full, 132, 1)
    expect(shard()).toBe(before)
    const touched = git(folder, 'diff', '--name-only', 'loreley/state~1', 'loreley/state').split('\n')
    expect(touched.length).toBeLessThanOrEqual(7)
  })

  it('a ledger is carried on over a boundary from a fresh load as from memory', async () => {
    const [inMemory, reloaded] = [aRepository(), aRepository()]
    const one = await aStore(inMemory)
    await grow(one, await grow(one, undefined, 100, 60), 103, 3)
    await grow(await aStore(reloaded), undefined, 100, 60)
    const other = await aStore(reloaded)
    await grow(other, await load(other), 103, 3)
    const treeOf = (folder: string) => git(folder, 'rev-parse', 'loreley/state^{tree}')
    expect(treeOf(reloaded)).toBe(treeOf(inMemory))
  })
})

describe('the index of trees', () => {
  it('the tree index gives the parts that were asked for and no others', async () => {
    const store = await aStore(aRepository())
    const snapshot = await grow(store, undefined, 20, 20)
    const { tree } = result(7)
    const { state } = await store.withTrees(snapshot, [tree, 'ff'.repeat(20)])
    expect([...state.trees.keys()].sort()).toEqual([tree.slice(0, 2), 'ff'].sort())
    expect(state.trees.get(tree.slice(0, 2))?.get(tree)).toBe(7)
  })

  it('the tree index knows every evaluated tree after a restart', async () => {
    const folder = aRepository()
    await grow(await aStore(folder), undefined, 50, 7)
    const store = await aStore(folder)
    const all = Array.from({ length: 50 }, (_, ordinal) => result(ordinal).tree)
    const { state } = await store.withTrees(await load(store), all)
    const { trees } = withAllTrees(state)
    expect(all.map((tree) => trees.get(tree.slice(0, 2))?.get(tree))).toEqual(
      all.map((_, ordinal) => ordinal),
    )
  })
})
