import { expect, it } from 'vitest'
import { rebuild } from '../../src/core/archive/rebuild.ts'
import type { CampaignEvent, Effect } from '../../src/core/campaign/events.ts'
import type { Job } from '../../src/core/campaign/job.ts'
import type { LedgerEntry } from '../../src/core/campaign/ledger.ts'
import { CampaignLoop, type Host } from '../../src/store/campaign-loop.ts'
import { encodeArchive } from '../../src/store/encode.ts'
import type { StateStore } from '../../src/store/state-store.ts'
import { aCampaign, aConfig } from '../support/builders.ts'
import { finished, minute, resumed } from '../support/campaign-steps.ts'
import { aRepository, git } from '../support/repository.ts'
import { aStore, load } from '../support/store.ts'
import { RESERVED, resultOf } from './world.ts'

const CANDIDATES = 25
const config = aConfig({ search: { window: 6 }, limits: { candidates: CANDIDATES } })

/** A host that only remembers what it was told to start. */
function aHost(store: StateStore, dispatched: Job[]): Host {
  let ticks = 0
  return {
    store,
    perform: async (effect: Effect) => {
      if (effect.type === 'dispatch') dispatched.push(effect.job)
    },
    renderPages: () => new Map(),
    now: () => minute(ticks++),
    jitter: () => 0.1,
  }
}

const eventOf = (job: Job): CampaignEvent => finished(job.ordinal, resultOf(1, job), job.attempt)

async function readAll(store: StateStore): Promise<LedgerEntry[]> {
  const entries: LedgerEntry[] = []
  for await (const entry of store.readLedger(await load(store))) entries.push(entry)
  return entries
}

it('two hosts that drive one campaign at once, each told everything, overwrite nothing', async () => {
  const folder = aRepository()
  const dispatched: Job[] = []
  const stores = [await aStore(folder), await aStore(folder)] as const
  const state = aCampaign({ config, order: 'arrival', reserved: RESERVED })
  const one = await CampaignLoop.start(aHost(stores[0], dispatched), { state, config })
  const two = CampaignLoop.open(aHost(stores[1], dispatched), await load(stores[1]))
  await one.step([resumed(state)])
  while (dispatched.length > 0) {
    const events = dispatched.splice(0, 2).map(eventOf)
    await Promise.all([one.step(events), two.step(events.toReversed())])
  }
  const { state: end } = await load(stores[0])
  expect(end.campaign.status).toEqual({ phase: 'finished', reason: 'budget-candidates' })
  const ledger = await readAll(stores[0])
  const ordinals = ledger.map(({ ordinal }) => ordinal).sort((a, b) => a - b)
  // The baseline, the candidates, and the confirmation of the best one.
  expect(ordinals).toEqual(Array.from({ length: CANDIDATES + 2 }, (_, ordinal) => ordinal))
  expect(encodeArchive(rebuild(end, ledger).archive, 1)).toBe(encodeArchive(end.archive, 1))
})

it('what was committed is dispatched again after a crash before its effects', async () => {
  const folder = aRepository()
  const store = await aStore(folder)
  const lost: Job[] = []
  const state = aCampaign({ config, reserved: RESERVED })
  const loop = await CampaignLoop.start(aHost(store, lost), { state, config })
  await loop.step([resumed(state)])
  await loop.step([eventOf(lost.splice(0)[0] ?? failed())])
  const again: Job[] = []
  const next = CampaignLoop.open(aHost(await aStore(folder), again), await load(store))
  await next.step([resumed(state)])
  expect(again).toEqual(lost)
  expect(again.map(({ ordinal }) => ordinal)).toEqual([1, 2, 3, 4, 5, 6])
  expect(git(folder, 'log', '-1', '--format=%s', 'loreley/state')).toBe('demo: warm-up [skip ci]')
})

function failed(): never {
  throw new Error('the baseline was not dispatched')
}
