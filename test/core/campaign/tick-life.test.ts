import { describe, expect, it } from 'vitest'
import type { CampaignState } from '../../../src/core/campaign/campaign.ts'
import { aCampaign, aConfig, aFailure, aResult, MORE_SCORE } from '../../support/builders.ts'
import {
  BASELINE,
  begun,
  dispatched,
  finished,
  playOut,
  resumed,
  step,
} from '../../support/campaign-steps.ts'

const statusOf = ({ campaign }: CampaignState) => campaign.status

describe('the life of a campaign', () => {
  it('begins with the baseline alone', () => {
    const { state, effects } = step(aCampaign(), resumed(aCampaign()))
    expect(statusOf(state)).toEqual({ phase: 'baseline' })
    expect(dispatched(effects)).toEqual([0])
  })

  it('warms up once the root is measured, with a window of candidates', () => {
    const config = aConfig({ search: { window: 3 } })
    const { state, effects } = step(aCampaign({ config }), finished(0, BASELINE))
    expect(statusOf(state)).toEqual({ phase: 'warm-up' })
    expect(state.campaign.baseline).toEqual({ metrics: BASELINE.metrics, value: [1], deterministic: true })
    expect(dispatched(effects)).toEqual([1, 2, 3])
  })

  it('searches after the warm-up and finishes when the candidates are spent', () => {
    const config = aConfig({ search: { warmUp: 2, window: 2 }, limits: { candidates: 4 } })
    let state = begun(aCampaign({ config }))
    const phases = [1, 2, 3, 4].map((ordinal) => {
      state = step(state, finished(ordinal)).state
      return statusOf(state).phase
    })
    expect(phases).toEqual(['warm-up', 'searching', 'searching', 'finished'])
    expect(statusOf(state)).toEqual({ phase: 'finished', reason: 'budget-candidates' })
    expect([state.jobs.size, state.ledger.count, state.campaign.finished]).toEqual([0, 5, 4])
  })

  it('replaces each admitted candidate by one, and publishes only when the archive changed', () => {
    const state = begun(aCampaign({ config: aConfig({ search: { window: 3 } }) }))
    const tie = step(state, finished(1))
    expect(tie.effects.map(({ type }) => type)).toEqual(['dispatch', 'report'])
    expect(dispatched(tie.effects)).toEqual([4])
    const better = step(state, finished(1, aResult(1, { metrics: { score: 2, x: 0.5, y: 0.5 } })))
    expect(better.effects.map(({ type }) => type)).toEqual(['dispatch', 'report'])
  })

  it('remembers children of present elites only, and a bounded number of recipes', () => {
    const config = aConfig({ search: { window: 1, warmUp: 1 }, limits: { candidates: 90 } })
    let state = begun(aCampaign({ config }))
    for (let ordinal = 1; ordinal < 90; ordinal++) {
      const metrics = { score: ordinal, x: (ordinal % 3) / 3, y: 0 }
      state = step(state, finished(ordinal, aResult(ordinal, { metrics }))).state
      const elites = state.archive.members().map(({ elite }) => `${elite.ordinal}`)
      expect(elites).toEqual(expect.arrayContaining(Object.keys(state.campaign.search.children)))
    }
    expect(state.campaign.search.recipes).toHaveLength(64)
  })

  it.each([
    [[{ score: 1 }, { score: 1 }], true],
    [[{ score: 1 }, { score: 1.01 }], false],
  ])('learns from the samples %j whether the evaluator is deterministic', (samples, deterministic) => {
    const runs = samples.map((sample) => ({
      subject: 'candidate' as const,
      stage: 'full' as const,
      metrics: { x: 0.5, y: 0.5, ...sample },
    }))
    const state = begun(aCampaign(), { ...BASELINE, samples: runs })
    expect(state.campaign.baseline?.deterministic).toBe(deterministic)
  })
})

describe('an invalid baseline', () => {
  const { x: _x, ...withoutAxis } = BASELINE.metrics
  it.each([
    [
      'fails',
      aFailure({ reason: 'evaluation-failed', detail: 'exit code 3' }),
      'evaluation-failed: exit code 3',
    ],
    ['lacks an objective', { ...BASELINE, metrics: { x: 0, y: 0 } }, 'metric-missing: score'],
    ['lacks the metric of an axis', { ...BASELINE, metrics: withoutAxis }, 'metric-missing: x'],
  ])('pauses when the root %s, and plans nothing', (_case, result, detail) => {
    const { state, effects } = step(aCampaign(), finished(0, result))
    expect(statusOf(state)).toEqual({ phase: 'paused', reason: 'baseline-invalid', detail })
    expect([state.ledger.count, state.campaign.nextOrdinal, effects]).toEqual([0, 1, [{ type: 'report' }]])
  })

  it('pauses when the root is out of bounds', () => {
    const config = aConfig({ objectives: [{ ...MORE_SCORE, min: 5 }] })
    const { state } = step(aCampaign({ config }), finished(0, BASELINE))
    expect(statusOf(state)).toMatchObject({
      reason: 'baseline-invalid',
      detail: 'metric-out-of-bounds: score',
    })
  })

  it('an invalid baseline is measured again on resume, and results of the old attempt are ignored', () => {
    const paused = step(aCampaign(), finished(0, aFailure())).state
    const { state, effects } = step(paused, resumed(paused))
    expect(statusOf(state)).toEqual({ phase: 'baseline' })
    expect(effects).toContainEqual({
      type: 'dispatch',
      job: expect.objectContaining({ ordinal: 0, attempt: 2 }),
    })
    expect(step(state, finished(0, BASELINE, 1)).state.campaign.baseline).toBeUndefined()
    const again = step(state, finished(0, BASELINE, 2)).state
    expect(statusOf(again)).toEqual({ phase: 'warm-up' })
    expect(again.ledger.tail[0]).toMatchObject({ ordinal: 0, attempt: 2 })
  })

  it('an invalid baseline counts against the budget', () => {
    const usage = { tokens: 1, dollars: 2, runnerMs: 3 }
    const paused = step(aCampaign(), finished(0, aFailure({ usage }))).state
    expect(paused.campaign.used).toEqual(usage)
  })
})

describe('the end of a campaign', () => {
  it('finishes at once when the root already reaches the target', () => {
    const config = aConfig({ objectives: [{ ...MORE_SCORE, target: 1 }] })
    const state = begun(aCampaign({ config }))
    expect(statusOf(state)).toEqual({ phase: 'finished', reason: 'target-reached' })
    expect(state.campaign.nextOrdinal).toBe(1)
  })

  it('drains what is in flight after the target was reached, and then only measures the winner again', () => {
    const config = aConfig({ objectives: [{ ...MORE_SCORE, target: 9 }], search: { window: 3 } })
    const hit = aResult(1, { metrics: { score: 9, x: 0, y: 0 } })
    const stopping = step(begun(aCampaign({ config })), finished(1, hit)).state
    expect([statusOf(stopping).phase, stopping.campaign.stopping]).toEqual(['warm-up', 'target-reached'])
    const done = playOut(stopping, ({ kind, ordinal }) => (kind === 'confirm' ? hit : aResult(ordinal)))
    expect(statusOf(done)).toEqual({ phase: 'finished', reason: 'target-reached' })
    expect([done.ledger.count, done.campaign.nextOrdinal]).toEqual([5, 5])
    expect(done.ledger.tail.at(-1)).toMatchObject({
      kind: 'confirm',
      parent: 1,
      verdict: { status: 'confirmed' },
    })
  })

  it('finishes on a plateau, counted from the last better best', () => {
    const config = aConfig({ search: { window: 1, plateau: 3 } })
    const scores = [1, 5, 5, 5, 5]
    const done = playOut(begun(aCampaign({ config })), ({ ordinal }) =>
      aResult(ordinal, { metrics: { score: scores[ordinal - 1] ?? 5, x: ordinal / 20, y: 0 } }),
    )
    expect(statusOf(done)).toEqual({ phase: 'finished', reason: 'plateau' })
    expect([done.campaign.search.improvedAt, done.campaign.finished]).toEqual([2, 5])
  })

  it('goes on when it is given more candidates, and only then', () => {
    const config = aConfig({ limits: { candidates: 3 } })
    const done = playOut(begun(aCampaign({ config })))
    expect(step(done, resumed(done)).state.campaign.status).toEqual(done.campaign.status)
    const { state, effects } = step(done, resumed(done, { ...config.limits, candidates: 5 }))
    expect(dispatched(effects)).toEqual([4, 5])
    expect(statusOf(playOut(state))).toEqual({ phase: 'finished', reason: 'budget-candidates' })
  })

  it('a stopped campaign does not continue with more candidates', () => {
    const state = begun(aCampaign())
    const stopped = playOut(step(state, { type: 'command', command: 'stop', detail: '' }).state)
    const { state: after, effects } = step(
      stopped,
      resumed(stopped, { ...state.config.limits, candidates: 99 }),
    )
    expect(statusOf(after)).toEqual({ phase: 'finished', reason: 'stopped' })
    expect(dispatched(effects)).toEqual([])
  })
})
