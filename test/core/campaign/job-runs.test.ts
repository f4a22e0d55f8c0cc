import { describe, expect, it } from 'vitest'
import type { CampaignEvent } from '../../../src/core/campaign/events.ts'
import { aCampaign, aConfig } from '../../support/builders.ts'
import { begun, dispatched, resumed, step } from '../../support/campaign-steps.ts'

const arrival = (limits: Parameters<typeof aConfig>[0] = {}) =>
  begun(aCampaign({ config: aConfig(limits), order: 'arrival' }))

describe('runs', () => {
  it('a known run is remembered and not started again after a restart', () => {
    const { state } = step(arrival(), { type: 'dispatched', ordinal: 1, attempt: 1, run: 77 })
    expect(state.jobs.get(1)?.run).toBe(77)
    expect(dispatched(step(state, resumed(state)).effects)).toEqual([2, 3, 4])
  })

  it('a host that takes over starts open jobs again', () => {
    const { state } = step(arrival(), { type: 'dispatched', ordinal: 1, attempt: 1, run: 77 })
    const event: CampaignEvent = { type: 'resumed', limits: state.config.limits, takeOver: true }
    expect(dispatched(step(state, event).effects)).toEqual([1, 2, 3, 4])
  })

  it('runs of jobs that a stop closed are cancelled, even if they become known too late', () => {
    const { state } = step(arrival(), { type: 'dispatched', ordinal: 1, attempt: 1, run: 77 })
    const stopped = step(state, { type: 'command', command: 'stop', detail: '' }).state
    expect([...stopped.jobs.keys()]).toEqual([1])
    expect(stopped.ledger.tail.slice(1).map(({ verdict }) => verdict)).toMatchObject([
      { reason: 'cancelled' },
      { reason: 'cancelled' },
      { reason: 'cancelled' },
    ])
    const late = step(stopped, { type: 'dispatched', ordinal: 2, attempt: 1, run: 78 })
    expect(late.effects).toEqual([{ type: 'cancel', run: 78 }])
  })

  it('withdrawn runs are cancelled and started again, and their cost is counted', () => {
    const begun = arrival({ limits: { candidates: 1 } })
    const hold: CampaignEvent = { type: 'hold', reason: 'preflight', detail: 'it waits' }
    const usage = { tokens: 0, dollars: 0, runnerMs: 7 }
    const run: CampaignEvent = { type: 'dispatched', ordinal: 1, attempt: 1, run: 77 }
    const withdrawn: CampaignEvent = { type: 'withdrawn', ordinal: 1, attempt: 1, usage }
    const { state, effects } = step(begun, run, hold, withdrawn)
    expect(effects).toContainEqual({ type: 'cancel', run: 77 })
    expect(dispatched(effects)).toEqual([])
    expect(state.ledger).toEqual(begun.ledger)
    expect(state.campaign.used.runnerMs).toBe(begun.campaign.used.runnerMs + 7)
    expect(step(state, withdrawn, run).state.jobs).toEqual(state.jobs)
    const again = step(state, resumed(state))
    expect(dispatched(again.effects)).toEqual([1])
    expect(again.state.jobs.get(1)).toMatchObject({ attempt: 2 })
  })

  it('a stop cancels the run of a baseline', () => {
    const begin = step(aCampaign({ order: 'arrival' }), {
      type: 'dispatched',
      ordinal: 0,
      attempt: 1,
      run: 5,
    })
    const { state, effects } = step(begin.state, { type: 'command', command: 'stop', detail: '' })
    expect(state.campaign.status).toEqual({ phase: 'finished', reason: 'stopped' })
    expect(effects).toContainEqual({ type: 'cancel', run: 5 })
  })
})
