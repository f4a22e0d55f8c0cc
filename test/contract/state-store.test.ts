import { describe, expect, it } from 'vitest'
import type { CampaignState } from '../../src/core/campaign/campaign.ts'
import type { LedgerEntry } from '../../src/core/campaign/ledger.ts'
import type { Snapshot, StateStore } from '../../src/store/state-store.ts'
import { aGitHub } from '../github/support.ts'
import {
  aCampaign,
  aConfig,
  aFailure,
  anObjectId,
  aResult,
  LESS_TIME,
  MORE_SCORE,
  ROOT,
} from '../support/builders.ts'
import { BASELINE, finished, playOut, step } from '../support/campaign-steps.ts'
import { aRepository, git } from '../support/repository.ts'
import { aChange, aStore, commit, contentOf, load } from '../support/store.ts'

const STATE = 'refs/heads/loreley/state'

/** A repository with a state branch, wherever it is. */
interface World {
  /** A store as another process would open it. */
  open(): Promise<StateStore>
  git(...args: string[]): string
}

async function aLocalWorld(): Promise<World> {
  const folder = aRepository()
  return { open: () => aStore(folder), git: (...args) => git(folder, ...args) }
}

async function aGitHubWorld(): Promise<World> {
  const github = await aGitHub()
  return { open: async () => github.store(), git: github.git }
}

const config = aConfig({ search: { window: 4 }, limits: { candidates: 1000 } })
const wide = aConfig({ search: { window: 64 }, limits: { candidates: 1000 } })

/** Campaigns whose candidates are all one commit that the repository has: refs can be made of it. */
function campaignsOf(world: World) {
  const real = { commit: world.git('rev-parse', 'main') }
  const fresh = (id = 'demo', rules = config): CampaignState =>
    aCampaign({ id, config: rules, root: { ...ROOT, ...real } })
  const result = (ordinal: number) =>
    ordinal === 0
      ? { ...BASELINE, ...real }
      : aResult(ordinal, { ...real, metrics: { score: ordinal % 17, x: (ordinal % 9) / 9, y: 0 } })
  const begun = (id = 'demo') => step(fresh(id), finished(0, result(0))).state
  /** In the middle: elites, a failure, a duplicate, a result that waits, open jobs. */
  const busy = (id = 'demo') =>
    step(
      begun(id),
      finished(1, result(1)),
      finished(2, aFailure({ tree: anObjectId('broken') })),
      finished(3, { ...result(3), tree: result(1).tree }),
      finished(5, result(5)),
    ).state
  /** Finishes candidates up to a count of ledger lines, `atOnce` of them a commit. */
  const grow = async (store: StateStore, from: Snapshot | undefined, count: number, atOnce: number) => {
    let snapshot = from ?? (await commit(store, undefined, fresh('demo', wide), wide))
    while (snapshot.state.ledger.count < count) {
      const first = snapshot.state.ledger.count
      const ordinals = Array.from({ length: Math.min(atOnce, count - first) }, (_, index) => first + index)
      const base = await store.withTrees(
        snapshot,
        ordinals.map((ordinal) => result(ordinal).tree),
      )
      const { state } = step(base.state, ...ordinals.map((ordinal) => finished(ordinal, result(ordinal))))
      snapshot = await commit(store, base.revision, state, wide)
    }
    return snapshot
  }
  return { fresh, begun, busy, result, grow }
}

async function readAll(store: StateStore, snapshot: Snapshot): Promise<LedgerEntry[]> {
  const entries: LedgerEntry[] = []
  for await (const entry of store.readLedger(snapshot)) entries.push(entry)
  return entries
}

describe.each([
  ['local git', aLocalWorld],
  ['GitHub', aGitHubWorld],
])('a state store on %s', (name, aWorld) => {
  it('gives back islands, fronts and tessellations', async () => {
    const world = await aWorld()
    const { commit: head } = campaignsOf(world).fresh().campaign.root
    const rich = aConfig({
      objectives: [MORE_SCORE, LESS_TIME],
      search: { archive: 'cvt', islands: 2, cells: 4 },
    })
    const begin = aCampaign({ config: rich, root: { ...ROOT, commit: head } })
    const root = { ...BASELINE, commit: head, metrics: { score: 1, time: 1, x: 0, y: 0 } }
    const state = playOut(step(begin, finished(0, root)).state, ({ ordinal }) =>
      aResult(ordinal, {
        commit: head,
        metrics: { score: ordinal % 5, time: (ordinal % 5) + (ordinal % 2), x: (ordinal % 3) / 2, y: 0 },
      }),
    )
    expect(Math.max(...state.archive.members().map(({ rank }) => rank))).toBeGreaterThan(1)
    const store = await world.open()
    const first = await commit(store, undefined, begin, rich)
    await commit(store, first.revision, state, rich)
    const loaded = await load(await world.open())
    expect(contentOf(loaded.state, rich)).toEqual(contentOf({ ...state, trees: new Map() }, rich))
  })

  it('gives what was committed', async () => {
    const world = await aWorld()
    const { fresh, busy } = campaignsOf(world)
    const store = await world.open()
    const first = await commit(store, undefined, fresh(), config)
    const second = await commit(store, first.revision, busy(), config)
    const loaded = await load(await world.open())
    const expected = contentOf({ ...busy(), trees: new Map() }, config)
    expect(contentOf(loaded.state, config)).toEqual(expected)
    expect(contentOf(second.state, config)).toEqual(expected)
    expect(loaded.config).toEqual(config)
    const { head, folder } = second.revision
    expect(loaded.revision).toMatchObject({ head, folder })
    expect(head).toBe(world.git('rev-parse', STATE))
    expect(folder).toBe(world.git('rev-parse', `${STATE}:campaigns/demo`))
  })

  it('writes an orphan branch whose commits skip CI and pass fsck', async () => {
    const world = await aWorld()
    const { fresh, busy } = campaignsOf(world)
    const store = await world.open()
    const first = await commit(store, undefined, fresh(), config)
    await commit(store, first.revision, busy(), config)
    expect(world.git('log', '--format=%s', STATE).split('\n')).toEqual(Array(2).fill('demo: test [skip ci]'))
    expect(world.git('rev-list', '--count', STATE, '--not', 'main')).toBe('2')
    expect(world.git('fsck', '--strict', '--no-dangling')).toBe('')
  })

  it('takes away the documents of jobs that finished', async () => {
    const world = await aWorld()
    const { begun, busy } = campaignsOf(world)
    const store = await world.open()
    const first = await commit(store, undefined, begun(), config)
    await commit(store, first.revision, busy(), config)
    const jobs = world.git('ls-tree', '--name-only', `${STATE}:campaigns/demo/jobs`)
    expect(jobs.split('\n')).toEqual(['0004.json', '0005.json', '0006.json', '0007.json'])
  })

  it('lists its campaigns, also on the front page', async () => {
    const world = await aWorld()
    const { fresh } = campaignsOf(world)
    const store = await world.open()
    expect([await store.list(), await store.load('demo')]).toEqual([[], undefined])
    for (const id of ['zeta', 'alpha']) await commit(store, undefined, fresh(id), config)
    expect(await store.list()).toEqual(['alpha', 'zeta'])
    expect(await store.load('other')).toBeUndefined()
    expect(world.git('show', `${STATE}:README.md`)).toContain(
      '- [alpha](campaigns/alpha/README.md)\n- [zeta](campaigns/zeta/README.md)',
    )
  })

  it('meets a conflict when the same campaign changed, and writes nothing', async () => {
    const world = await aWorld()
    const { fresh, begun } = campaignsOf(world)
    const [ours, theirs] = [await world.open(), await world.open()]
    const base = await commit(ours, undefined, fresh(), config)
    await commit(theirs, (await load(theirs)).revision, begun(), config)
    const head = world.git('rev-parse', STATE)
    const change = aChange({ ...base.state, campaign: { ...base.state.campaign, activeMs: 1 } }, config)
    expect(await ours.commit(base.revision, change)).toEqual({ status: 'conflict' })
    expect(world.git('rev-parse', STATE)).toBe(head)
  })

  it('meets none when another campaign changed, and keeps both', async () => {
    const world = await aWorld()
    const { fresh, busy } = campaignsOf(world)
    const [ours, theirs] = [await world.open(), await world.open()]
    const base = await commit(ours, undefined, fresh(), config)
    await commit(theirs, undefined, busy('other'), config)
    await commit(ours, base.revision, busy(), config)
    expect(contentOf((await load(ours)).state, config)).toEqual(
      contentOf({ ...busy(), trees: new Map() }, config),
    )
    expect((await load(ours, 'other')).state.campaign.id).toBe('other')
    expect(world.git('rev-list', '--count', STATE)).toBe('3')
  })

  it('refuses to begin a campaign that exists', async () => {
    const world = await aWorld()
    const { fresh } = campaignsOf(world)
    await commit(await world.open(), undefined, fresh(), config)
    const again = (await world.open()).commit(undefined, aChange(fresh(), config))
    expect(await again).toEqual({ status: 'conflict' })
  })

  it('does not write on when the branch is gone', async () => {
    const world = await aWorld()
    const { fresh, begun } = campaignsOf(world)
    const store = await world.open()
    const base = await commit(store, undefined, fresh(), config)
    world.git('update-ref', '-d', STATE)
    const outcome = await store.commit(base.revision, aChange(begun(), config)).catch((error) => error)
    // A machine's own branch is not deleted by a rival: the run ends and says so. On GitHub the app loads it again.
    if (name === 'GitHub') expect(outcome).toEqual({ status: 'conflict' })
    else
      expect(outcome).toMatchObject({
        code: 'state-conflict',
        message: expect.stringContaining('was deleted'),
      })
  })

  it('explains a branch named loreley in the way', async () => {
    const world = await aWorld()
    const { fresh } = campaignsOf(world)
    world.git('branch', 'loreley', 'main')
    const fault = (await world.open()).commit(undefined, aChange(fresh(), config))
    expect(await fault.catch((error: unknown) => error)).toMatchObject({
      code: 'state-refused',
      hint: expect.stringContaining('a branch named `loreley`'),
    })
  })

  it('carries a ledger over the end of a file, from memory and from a fresh load alike', async () => {
    const world = await aWorld()
    const { grow, result } = campaignsOf(world)
    const store = await world.open()
    await grow(store, await grow(store, undefined, 98, 49), 101, 2)
    const other = await world.open()
    const grown = await grow(other, await load(other), 102, 1)
    const entries = await readAll(other, grown)
    expect(entries.map(({ ordinal }) => ordinal)).toEqual(Array.from({ length: 102 }, (_, index) => index))
    const shards = world.git('ls-tree', '--name-only', `${STATE}:campaigns/demo/ledger`)
    expect(shards.split('\n')).toEqual(['000.jsonl', '001.jsonl'])
    const { state } = await other.withTrees(grown, [result(7).tree, 'ff'.repeat(20)])
    expect([...state.trees.keys()].sort()).toEqual([result(7).tree.slice(0, 2), 'ff'].sort())
    expect(state.trees.get(result(7).tree.slice(0, 2))?.get(result(7).tree)).toBe(7)
  })
})
