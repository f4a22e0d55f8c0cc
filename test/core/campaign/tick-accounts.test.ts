import { describe, expect, it } from 'vitest'
import { mostUsage } from '../../../src/config/most-usage.ts'
import { resolveCampaign } from '../../../src/config/resolve.ts'
import { campaignSchema } from '../../../src/config/schema/campaign.ts'
import { NO_USAGE } from '../../../src/core/budget/budget.ts'
import { tick } from '../../../src/core/campaign/tick.ts'
import { aCampaign, aConfig, aFailure, anObjectId, aResult } from '../../support/builders.ts'
import {
  BASELINE,
  begun,
  dispatched,
  finished,
  minute,
  playOut,
  resumed,
  step,
} from '../../support/campaign-steps.ts'

const dollars = (amount: number) => ({ ...NO_USAGE, dollars: amount })

describe('budgets in a campaign', () => {
  // Each may cost 10 and costs 4; 35 are allowed.
  const config = aConfig({ search: { window: 8 }, limits: { dollars: 35 } })
  const costly = (ordinal: number) => aResult(ordinal, { usage: dollars(4) })
  const start = () => begun(aCampaign({ config, reserved: dollars(10) }))

  it('a campaign plans only as many candidates as fit at their maximum cost', () => {
    expect([...start().jobs.keys()]).toEqual([1, 2, 3])
  })

  it('a finished candidate returns its unspent reserve, and the limit is never exceeded', () => {
    const done = playOut(start(), ({ ordinal }) => costly(ordinal))
    expect(done.campaign.status).toEqual({ phase: 'finished', reason: 'budget-dollars' })
    expect(done.campaign.used.dollars).toBe(28)
  })

  it('budgets do not depend on when a result arrives', () => {
    const inOrder = playOut(start(), ({ ordinal }) => costly(ordinal))
    const early = step(start(), finished(3, costly(3)), finished(2, costly(2))).state
    const done = playOut(early, ({ ordinal }) => costly(ordinal))
    expect(done.ledger).toEqual(inOrder.ledger)
  })

  it('a waiting result that cost more than its reserve counts in full', () => {
    const state = begun(aCampaign({ config: aConfig({ limits: { dollars: 35 }, search: { window: 3 } }) }))
    const early = step(state, finished(3, aResult(3, { usage: dollars(40) }))).state
    expect(dispatched(step(early, finished(1)).effects)).toEqual([])
  })

  it('a campaign that cannot pay for one candidate finishes', () => {
    const poor = aConfig({ limits: { runnerMinutes: 1 } })
    const state = begun(aCampaign({ config: poor, reserved: { ...NO_USAGE, runnerMs: 60_001 } }))
    expect(state.campaign.status).toEqual({ phase: 'finished', reason: 'budget-runner-minutes' })
  })

  it.each([
    ['budget-runner-minutes', { ...NO_USAGE, runnerMs: 500 * 60_000 }],
    ['budget-tokens', { ...NO_USAGE, tokens: 3_000_000 }],
    ['budget-dollars', dollars(15)],
  ])('end a campaign that sets none: %s', (reason, usage) => {
    const state = begun(aCampaign({ config: aConfig({ limits: { candidates: 100 } }) }))
    const done = playOut(state, ({ ordinal }) => aResult(ordinal, { usage }))
    expect(done.campaign.status).toEqual({ phase: 'finished', reason })
  })

  it('the default budget lets 100 candidates finish at their maximum cost', () => {
    const parsed = campaignSchema.parse({
      goal: 'Better.',
      objectives: [{ metric: 'score', direction: 'maximize' }],
      evaluation: { command: 'true' },
      scope: { editable: ['src/**'] },
      agent: { use: 'openai', openai: { models: [{ name: 'm', price: { input: 2, output: 4 } }] } },
    })
    const config = { ...resolveCampaign('demo', parsed), search: aConfig().search }
    const reserved = mostUsage(config)
    const start = begun(aCampaign({ config, reserved, order: 'arrival' }))
    const done = playOut(start, ({ ordinal }) => aResult(ordinal, { usage: reserved }))
    expect(done.campaign.status).toEqual({ phase: 'finished', reason: 'budget-candidates' })
  })

  it('a campaign continues when it gets more money', () => {
    const done = playOut(start(), ({ ordinal }) => costly(ordinal))
    const { effects } = step(done, resumed(done, { ...config.limits, dollars: 60 }))
    expect(dispatched(effects)).toEqual([8, 9, 10])
  })
})

describe('the wall clock', () => {
  const config = aConfig({ limits: { wallClockMinutes: 10 }, search: { window: 1 } })
  const start = tick(aCampaign({ config }), [finished(0, BASELINE)], minute(0)).state

  it('stops the campaign when its time is up', () => {
    const { state } = tick(start, [finished(1)], minute(10))
    expect(state.campaign.status).toEqual({ phase: 'finished', reason: 'budget-wall-clock' })
  })

  it('the wall clock does not count time without a host', () => {
    const later = tick(start, [resumed(start)], minute(500)).state
    expect([later.campaign.activeMs, later.campaign.status.phase]).toEqual([0, 'warm-up'])
    expect(tick(later, [finished(1)], minute(503)).state.campaign.activeMs).toBe(3 * 60_000)
  })

  it('the wall clock ignores pauses and clocks that go back', () => {
    const paused = tick(start, [{ type: 'command', command: 'pause', detail: '' }], minute(2)).state
    const during = tick(paused, [], minute(100)).state
    const again = tick(during, [resumed(during)], minute(200)).state
    expect(again.campaign.activeMs).toBe(2 * 60_000)
    expect(tick(again, [], minute(150)).state.campaign.activeMs).toBe(2 * 60_000)
  })
})

describe('a candidate that fails', () => {
  it('a failed candidate is recorded with its reason, costs budget and never blocks', () => {
    const config = aConfig({ search: { window: 1 }, limits: { candidates: 3 } })
    const failure = aFailure({ reason: 'evaluation-timed-out', detail: 'too slow', usage: dollars(2) })
    const { state, effects } = step(begun(aCampaign({ config })), finished(1, failure))
    expect(state.ledger.tail[1]).toMatchObject({
      ordinal: 1,
      verdict: { status: 'refused', reason: 'evaluation-timed-out', detail: 'too slow' },
    })
    expect([state.campaign.used.dollars, state.campaign.finished, dispatched(effects)]).toEqual([2, 1, [2]])
  })

  it.each([
    ['metric-missing', { x: 0, y: 0 }, 'score'],
    ['metric-missing', { score: 1, x: 0 }, 'y'],
    ['metric-not-finite', { score: Number.NaN, x: 0, y: 0 }, 'score'],
    ['metric-not-finite', { score: 1, x: Number.NEGATIVE_INFINITY, y: 0 }, 'x'],
  ])('a candidate is refused with %s when its metrics are %j', (reason, metrics, detail) => {
    const { state } = step(begun(aCampaign()), finished(1, aResult(1, { metrics })))
    expect(state.ledger.tail[1]?.verdict).toEqual({ status: 'refused', reason, detail })
    expect(state.archive.members()).toHaveLength(1)
  })
})

describe('a tree that was evaluated before', () => {
  const twin = aResult(1, { tree: BASELINE.tree, metrics: { score: 99, x: 0, y: 0 } })
  it.each([
    ['measured again', twin],
    [
      'called a duplicate',
      { status: 'duplicate' as const, tree: twin.tree, summary: twin.summary, usage: NO_USAGE },
    ],
    ['failed', aFailure({ tree: twin.tree, summary: twin.summary })],
  ])('a known tree is refused as a duplicate when it was %s, with the same ledger line', (_case, result) => {
    const { state } = step(begun(aCampaign()), finished(1, result))
    const { ordinal, verdict, metrics, commit, tree } = state.ledger.tail[1] ?? {}
    expect({ ordinal, verdict, metrics, commit, tree }).toEqual({
      ordinal: 1,
      verdict: { status: 'refused', reason: 'duplicate', of: 0 },
      metrics: undefined,
      commit: undefined,
      tree: twin.tree,
    })
    expect(state.archive.members()).toHaveLength(1)
  })

  it('names the first candidate that had it', () => {
    const tree = anObjectId('shared')
    const state = begun(aCampaign())
    const after = step(
      state,
      ...[1, 2, 3].map((ordinal) => finished(ordinal, aResult(ordinal, { tree }))),
    ).state
    expect(after.ledger.tail.slice(2).map(({ verdict }) => verdict)).toEqual([
      { status: 'refused', reason: 'duplicate', of: 1 },
      { status: 'refused', reason: 'duplicate', of: 1 },
    ])
  })

  it('a tree may be tried again after an infrastructure failure', () => {
    const tree = anObjectId('unlucky')
    const state = begun(aCampaign())
    const lost = finished(1, aFailure({ reason: 'infrastructure', tree }))
    const better = aResult(2, { tree, metrics: { score: 2, x: 0.5, y: 0.5 } })
    const after = step(state, lost, finished(2, better)).state
    expect(after.ledger.tail[2]?.verdict).toMatchObject({ status: 'admitted' })
  })
})
