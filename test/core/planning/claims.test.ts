import { describe, expect, it } from 'vitest'
import type { CampaignEvent } from '../../../src/core/campaign/events.ts'
import { aCampaign, aConfig } from '../../support/builders.ts'
import { begun, step } from '../../support/campaign-steps.ts'

const arrival = () =>
  begun(aCampaign({ config: aConfig({ limits: { parallel: 1, candidates: 2 } }), order: 'arrival' }))
const claim = (by: string, ...takesOver: number[]): CampaignEvent => ({
  type: 'claim',
  by,
  takesOver: takesOver.map((ordinal) => ({ ordinal, attempt: 1 })),
})
const claimsOf = (state: ReturnType<typeof arrival>) =>
  [...state.jobs.values()].map(({ ordinal, claimedBy }) => [ordinal, claimedBy])

describe('claims', () => {
  it('a job belongs to the process that claimed it first', () => {
    const { state } = step(step(arrival(), claim('a')).state, claim('b'))
    expect(claimsOf(state)).toEqual([
      [1, 'a'],
      [2, 'a'],
    ])
  })

  it('a job that a process takes over belongs to it, and the others stay where they are', () => {
    const { state } = step(step(arrival(), claim('a')).state, claim('b', 2))
    expect(claimsOf(state)).toEqual([
      [1, 'a'],
      [2, 'b'],
    ])
  })

  it('a job that runs is not taken over, nor is another attempt', () => {
    const run: CampaignEvent = { type: 'dispatched', ordinal: 1, attempt: 1, run: 7 }
    const late: CampaignEvent = { type: 'claim', by: 'b', takesOver: [{ ordinal: 2, attempt: 3 }] }
    const { state } = step(step(arrival(), claim('a')).state, run, claim('b', 1), late)
    expect(claimsOf(state)).toEqual([
      [1, 'a'],
      [2, 'a'],
    ])
  })

  it('the next attempt of a withdrawn job belongs to whoever took that step', () => {
    const usage = { tokens: 0, dollars: 0, runnerMs: 0 }
    const withdrawn: CampaignEvent = { type: 'withdrawn', ordinal: 1, attempt: 1, usage }
    const { state } = step(step(arrival(), claim('a')).state, withdrawn, claim('b'))
    expect(state.jobs.get(1)).toMatchObject({ attempt: 2, claimedBy: 'b' })
  })

  it('a duplicate run is booked once', () => {
    const usage = { tokens: 1, dollars: 2, runnerMs: 3 }
    const before = arrival()
    const event: CampaignEvent = { type: 'duplicate', run: 9, usage }
    const { state } = step(step(before, event, event).state, event)
    expect(state.campaign.used.dollars).toBe(before.campaign.used.dollars + 2)
    expect(state.campaign.control.duplicates).toEqual([9])
  })
})
