import { describe, expect, it } from 'vitest'
import type { CampaignState } from '../../../src/core/campaign/campaign.ts'
import type { CampaignEvent } from '../../../src/core/campaign/events.ts'
import { encodeCampaign } from '../../../src/store/encode.ts'
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

const PAUSE: CampaignEvent = { type: 'command', command: 'pause', detail: 'by hand' }
const STOP: CampaignEvent = { type: 'command', command: 'stop', detail: '' }
const windowOf = (window: number, candidates = 20) => aConfig({ search: { window }, limits: { candidates } })
const ledgerOf = ({ ledger }: CampaignState) => ledger.tail.map(({ ordinal }) => ordinal)

function sameState(a: CampaignState, b: CampaignState): void {
  const config = aConfig()
  expect(encodeCampaign({ state: a, config })).toEqual(encodeCampaign({ state: b, config }))
}

describe('events that change nothing', () => {
  const before = step(begun(aCampaign()), finished(1)).state
  it.each<[string, CampaignEvent]>([
    ['a doubled result', finished(1)],
    ['a doubled result with other numbers', finished(1, aResult('other'))],
    ['a result nobody asked for', finished(99)],
    ['a result of another attempt', finished(2, aResult(2), 7)],
    ['a doubled baseline', finished(0, BASELINE)],
  ])('%s', (_case, event) => {
    const { state, effects } = step(before, event)
    sameState(state, before)
    expect(effects).toEqual([])
  })

  it('the second of two results for one candidate in one tick', () => {
    const { state } = step(before, finished(2, aResult(2)), finished(2, aFailure()))
    expect(state.ledger.tail[2]).toMatchObject({ ordinal: 2, verdict: { reason: 'tie' } })
  })

  it('a pause or a late result after the end', () => {
    const done = playOut(begun(aCampaign({ config: windowOf(2, 2) })))
    sameState(step(done, PAUSE, finished(1)).state, done)
  })
})

describe('results in ordinal order', () => {
  it('results in ordinal order wait in the jobs and are admitted together', () => {
    const state = begun(aCampaign({ config: windowOf(3) }))
    const early = step(state, finished(3), finished(2))
    expect([ledgerOf(early.state), dispatched(early.effects)]).toEqual([[0], []])
    expect(early.state.jobs.get(3)?.result).toEqual(aResult(3))
    const { state: after, effects } = step(early.state, finished(1))
    expect([ledgerOf(after), dispatched(effects)]).toEqual([
      [0, 1, 2, 3],
      [4, 5, 6],
    ])
  })
})

describe('results in arrival order', () => {
  it('results in arrival order are admitted and replaced at once, with as many jobs waiting as running', () => {
    const config = aConfig({ limits: { parallel: 2 } })
    const state = begun(aCampaign({ config, order: 'arrival' }))
    expect([...state.jobs.keys()]).toEqual([1, 2, 3, 4])
    const { state: after, effects } = step(state, finished(3), finished(2))
    expect([ledgerOf(after), dispatched(effects)]).toEqual([
      [0, 2, 3],
      [5, 6],
    ])
  })
})

describe('pause', () => {
  it('plans and starts nothing until the campaign is resumed', () => {
    const paused = step(begun(aCampaign({ config: windowOf(2) })), PAUSE).state
    expect(paused.campaign.status).toEqual({ phase: 'paused', reason: 'command', detail: 'by hand' })
    const { state, effects } = step(paused, finished(1))
    expect([state.campaign.nextOrdinal, dispatched(effects)]).toEqual([3, []])
    expect(dispatched(step(state, resumed(state)).effects)).toEqual([2, 3])
  })

  it('changes no result: what a candidate sees does not depend on when it was resumed', () => {
    const resultOf = ({ ordinal }: { ordinal: number }) =>
      aResult(ordinal, { metrics: { score: ordinal, x: (ordinal % 4) / 4, y: 0 } })
    const start = begun(aCampaign({ config: aConfig({ search: { window: 4, warmUp: 1 } }) }))
    const paused = step(start, finished(1, resultOf({ ordinal: 1 })), PAUSE).state
    const drained = playOut(paused, resultOf)
    const carriedOn = playOut(step(drained, resumed(drained)).state, resultOf)
    sameState(carriedOn, playOut(start, resultOf))
  })

  it('a resumed campaign applies the rules to results that arrived during the pause', () => {
    const config = aConfig({ objectives: [{ ...MORE_SCORE, target: 9 }], limits: { parallel: 1 } })
    const paused = step(begun(aCampaign({ config, order: 'arrival' })), PAUSE).state
    const hit = step(paused, finished(1, aResult(1, { metrics: { score: 9, x: 0, y: 0 } }))).state
    const { state, effects } = step(hit, resumed(hit))
    expect([state.campaign.stopping, dispatched(effects)]).toEqual(['target-reached', [2]])
  })

  it('a campaign pauses after the configured number of consecutive failures for one reason', () => {
    const config = aConfig({ search: { window: 1 }, limits: { sameFailure: 3 } })
    const reasons = [
      'gate-failed',
      'gate-failed',
      'no-change',
      'gate-failed',
      'gate-failed',
      'gate-failed',
    ] as const
    const state = playOut(begun(aCampaign({ config })), ({ ordinal }) =>
      aFailure({ reason: reasons[ordinal - 1] ?? 'no-change' }),
    )
    const detail = '3 candidates in a row ended with gate-failed'
    expect(state.campaign.status).toEqual({ phase: 'paused', reason: 'same-failure', detail })
    expect(state.campaign.finished).toBe(6)
    const again = step(state, resumed(state)).state
    expect([again.campaign.status.phase, again.campaign.search.sameFailure.count]).toEqual(['searching', 0])
  })
})

describe('stop', () => {
  it('drains what is in flight, then finishes', () => {
    const stopping = step(begun(aCampaign({ config: windowOf(3) })), STOP).state
    const one = step(stopping, finished(1))
    expect([one.state.campaign.status.phase, dispatched(one.effects)]).toEqual(['warm-up', []])
    const done = playOut(one.state)
    expect(done.campaign.status).toEqual({ phase: 'finished', reason: 'stopped' })
    expect(ledgerOf(done)).toEqual([0, 1, 2, 3])
  })

  it('finishes at once before the baseline, and ignores its result', () => {
    const { state } = step(aCampaign(), STOP)
    expect([state.campaign.status, state.jobs.size]).toEqual([{ phase: 'finished', reason: 'stopped' }, 0])
    sameState(step(state, finished(0, BASELINE)).state, state)
  })

  it('ends a paused campaign', () => {
    const paused = step(begun(aCampaign({ config: windowOf(2) })), PAUSE).state
    const done = playOut(step(paused, STOP).state)
    expect(done.campaign.status).toEqual({ phase: 'finished', reason: 'stopped' })
  })

  it.each([STOP, undefined])('a stop completes after a pause and a restart (%j)', (command) => {
    const config = aConfig({ objectives: [{ ...MORE_SCORE, target: 9 }], search: { window: 3 } })
    const hit = finished(1, aResult(1, { metrics: { score: 9, x: 0, y: 0 } }))
    const stopping = step(begun(aCampaign({ config })), command ?? hit).state
    const paused = step(stopping, PAUSE).state
    const { state, effects } = step(paused, resumed(paused))
    expect(dispatched(effects)).toContain(2)
    expect(playOut(state).campaign.status.phase).toBe('finished')
  })
})

describe('a restart', () => {
  it('dispatches what is open again, publishes, and changes nothing else', () => {
    const state = step(begun(aCampaign({ config: windowOf(3) })), finished(2)).state
    const { state: after, effects } = step(state, resumed(state))
    sameState(after, state)
    expect([dispatched(effects), effects.at(-1)]).toEqual([[1, 3], { type: 'report' }])
  })
})
