import { describe, expect, it } from 'vitest'
import type { CampaignEvent } from '../../src/core/campaign/events.ts'
import { aCampaign, aConfig } from '../support/builders.ts'
import { begun, dispatched, resumed, step } from '../support/campaign-steps.ts'

const arrival = (limits: Parameters<typeof aConfig>[0] = {}) =>
  begun(aCampaign({ config: aConfig(limits), order: 'arrival' }))

describe('runs', () => {
  it('are remembered once known, and not begun again by a restart', () => {
    const { state } = step(arrival(), { type: 'dispatched', ordinal: 1, attempt: 1, run: 77 })
    expect(state.jobs.get(1)?.run).toBe(77)
    expect(dispatched(step(state, resumed(state)).effects)).toEqual([2, 3, 4])
  })

  it('are begun again by a host that takes over', () => {
    const { state } = step(arrival(), { type: 'dispatched', ordinal: 1, attempt: 1, run: 77 })
    const event: CampaignEvent = { type: 'resumed', limits: state.config.limits, takeOver: true }
    expect(dispatched(step(state, event).effects)).toEqual([1, 2, 3, 4])
  })

  it('of jobs that a stop closed are cancelled, also those that become known too late', () => {
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

  it('that were withdrawn are cancelled and begun anew, at nobody’s expense but what they have cost', () => {
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

  it('of a baseline that a stop made useless are cancelled', () => {
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
