import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LimitsConfig } from '../../src/config/campaign-config.ts'
import { rebuild } from '../../src/core/archive/rebuild.ts'
import { mostOfJob } from '../../src/core/budget/stop-rules.ts'
import type { CampaignState } from '../../src/core/campaign/campaign.ts'
import { POLICIES, type SearchConfig } from '../../src/core/campaign/engine-config.ts'
import { countConfirming } from '../../src/core/campaign/pulls.ts'
import { verdictWord } from '../../src/core/measuring/verdict.ts'
import { encodeArchive, encodeCampaign } from '../../src/store/encode.ts'
import { aConfig } from '../support/builders.ts'
import { type Game, type Played, play, type Watcher } from './player.ts'
import { RESERVED } from './world.ts'

const search = fc.record({
  policy: fc.constantFrom(...POLICIES),
  seed: fc.nat(1000),
  window: fc.integer({ min: 1, max: 8 }),
  warmUp: fc.integer({ min: 1, max: 6 }),
  plateau: fc.option(fc.integer({ min: 5, max: 20 }), { nil: undefined }),
})
const LEARNED = { kind: 'learned' } as const
const spaces = fc.constantFrom(
  {},
  { descriptor: 'delta' as const, axes: [LEARNED, LEARNED] },
  {
    descriptor: 'delta' as const,
    axes: [LEARNED, LEARNED, { kind: 'metric' as const, metric: 'x', min: 0, max: 1 }],
  },
)
const limits = fc.record({
  candidates: fc.integer({ min: 1, max: 40 }),
  sameFailure: fc.integer({ min: 2, max: 25 }),
  dollars: fc.option(fc.integer({ min: 1, max: 25 }), { nil: 1e9 }),
  tokens: fc.option(fc.integer({ min: 100, max: 2500 }), { nil: 1e9 }),
  runnerMinutes: fc.option(fc.integer({ min: 1, max: 25 }), { nil: 1e9 }),
  parallel: fc.integer({ min: 1, max: 4 }),
  openPulls: fc.nat(2),
  checkpoint: fc.option(fc.integer({ min: 3, max: 10 }), { nil: undefined }),
})

const campaigns = fc
  .tuple(search, spaces, limits, fc.option(fc.constantFrom(1.8, 1.9), { nil: undefined }), fc.nat(1000))
  .map(([changes, space, most, target, worldSeed]) => ({
    config: configOf({ ...changes, ...space }, most, target),
    worldSeed,
  }))

function configOf(changes: Partial<SearchConfig>, most: Partial<LimitsConfig>, target: number | undefined) {
  const objectives = [
    { metric: 'score', direction: 'maximize' as const, target },
    { metric: 'x', direction: 'minimize' as const },
  ]
  return aConfig({ objectives, search: { ...changes, cells: 16 }, limits: most })
}

const chaos = fc.record({ parallel: fc.integer({ min: 1, max: 8 }), chaosSeed: fc.nat(1_000_000) })

/** Every tick keeps the budgets, counting what is in flight. */
function watchOver({ config }: Game): Watcher {
  return (after) => {
    const confirmations = countConfirming(after.jobs) + after.campaign.control.confirmed
    expect(after.campaign.nextOrdinal - 1 - confirmations).toBeLessThanOrEqual(config.limits.candidates)
    const open = after.campaign.control.pulls.filter(({ status }) => status === 'open')
    expect(open.length).toBeLessThanOrEqual(config.limits.openPulls)
    expectWithin(config.limits.dollars, after, 'dollars')
    expectWithin(config.limits.tokens, after, 'tokens')
    expectWithin(config.limits.runnerMinutes && config.limits.runnerMinutes * 60_000, after, 'runnerMs')
  }
}

function expectWithin(
  limit: number | undefined,
  state: CampaignState,
  kind: 'tokens' | 'dollars' | 'runnerMs',
): void {
  if (limit === undefined || state.campaign.nextOrdinal === 1) return
  const open = [...state.jobs.values()].map((job) => (job.result?.usage ?? mostOfJob(job, RESERVED))[kind])
  const most = open.reduce((sum, usage) => sum + usage, state.campaign.used[kind])
  expect(most, kind).toBeLessThanOrEqual(limit + 1e-9)
}

function expectSound({ config, order }: Game, { state, ledger, archive, restored }: Played): void {
  const ordinals = ledger.map(({ ordinal }) => ordinal)
  const all = Array.from({ length: state.campaign.nextOrdinal }, (_, ordinal) => ordinal)
  expect(order === 'ordinal' ? ordinals : ordinals.toSorted((a, b) => a - b)).toEqual(all)
  const confirmations = ledger.filter(({ kind }) => kind === 'confirm').length
  expect(state.campaign.control.confirmed).toBe(confirmations)
  expect(state.campaign.finished).toBe(all.length - 1 - confirmations)
  const rebuilt = rebuild(state, ledger)
  expect(encodeArchive(rebuilt.archive, 1, rebuilt.projection.version)).toBe(archive)
  expect(rebuilt.projection).toEqual(state.projection)
  const spent = ledger.reduce((sum, { usage }) => sum + usage.tokens, 0)
  expect(state.campaign.used.tokens).toBe(spent)
  expect(encodeCampaign({ state: restored, config })).toEqual(encodeCampaign({ state, config }))
}

describe.each(['ordinal', 'arrival'] as const)('campaigns in %s order under faults', (order) => {
  it('campaigns under faults lose no candidate, count none twice, keep their budgets, and match a rebuild of their ledger', () => {
    fc.assert(
      fc.property(campaigns, chaos, (campaign, faults) => {
        const game: Game = { ...campaign, ...faults, order }
        expectSound(game, play(game, watchOver(game)))
      }),
      { seed: 20, numRuns: 60 },
    )
  })
})

describe('campaigns in ordinal order', () => {
  it('campaigns in ordinal order end with the same archive and ledger under any parallelism, delay or kill', () => {
    fc.assert(
      fc.property(campaigns, chaos, (campaign, faults) => {
        const calm = play({ ...campaign, order: 'ordinal', parallel: 1 })
        const wild = play({ ...campaign, ...faults, order: 'ordinal' })
        expect(wild.archive).toBe(calm.archive)
        expect(wild.ledger).toEqual(calm.ledger)
        expect(wild.state.campaign.status).toEqual(calm.state.campaign.status)
      }),
      { seed: 21, numRuns: 80 },
    )
  })

  it('campaigns in ordinal order plan candidate N from the archive after N − window and nothing later', () => {
    const config = aConfig({ search: { window: 3, warmUp: 2 }, limits: { candidates: 30 } })
    const { ledger } = play({ config, worldSeed: 5, order: 'ordinal', parallel: 3, chaosSeed: 9 })
    for (const { ordinal, parent, inspirations } of ledger.slice(1)) {
      const latest = Math.max(parent, ...inspirations)
      expect(latest).toBeLessThanOrEqual(Math.max(0, ordinal - 3))
    }
  })
})

describe('the fake world', () => {
  it('the fake world is hard enough to show faults: failures, duplicates, replaced elites and crossings', () => {
    const config = aConfig({ search: { cells: 16 }, limits: { candidates: 100 } })
    const { ledger } = play({ config, worldSeed: 3, order: 'ordinal', parallel: 8, chaosSeed: 4 })
    const kinds = new Set(ledger.map(({ verdict }) => verdictWord(verdict)))
    for (const kind of ['new-cell', 'improved', 'not-better', 'duplicate', 'metric-missing']) {
      expect(kinds).toContain(kind)
    }
    expect(ledger.some(({ operator }) => operator === 'crossover')).toBe(true)
  })
})
