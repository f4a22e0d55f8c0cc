import { expect, it } from 'vitest'
import type { CampaignState } from '../../src/core/campaign.ts'
import { rebuild } from '../../src/core/rebuild.ts'
import { aCampaign, aConfig, aFailure, aResult } from '../support/builders.ts'
import { begun, playOut, step } from '../support/campaign-steps.ts'

it('leads from the ledger to the same elites, past failures and duplicates', () => {
  const config = aConfig({ limits: { candidates: 40 } })
  const done = playOut(begun(aCampaign({ config })), ({ kind, parent, ...job }) => {
    const ordinal = kind === 'confirm' ? parent.ordinal : job.ordinal
    if (ordinal % 7 === 0) return aFailure()
    const name = ordinal % 5 === 0 ? 'same' : ordinal
    return aResult(name, { metrics: { score: (ordinal * 13) % 11, x: (ordinal % 8) / 8, y: 0 } })
  })
  const rebuilt = rebuild(done, done.ledger.tail).archive
  expect(rebuilt.members()).toEqual(done.archive.members())
  expect(rebuilt.members().length).toBeGreaterThan(2)
})

it('gives the cell of a discarded candidate to the next best, as the campaign itself does', () => {
  const scored = (ordinal: number) => aResult(ordinal, { metrics: { score: ordinal, x: 0.9, y: 0.9 } })
  const config = aConfig({ limits: { candidates: 6, parallel: 2 } })
  const done = playOut(begun(aCampaign({ config, order: 'arrival' })), ({ ordinal, kind, parent }) =>
    scored(kind === 'confirm' ? parent.ordinal : ordinal),
  )
  const holder = (state: CampaignState) =>
    state.archive.members().find(({ elite }) => elite.ordinal !== 0)?.elite.ordinal
  expect(holder(done)).toBe(6)
  const asked = step(done, { type: 'discard', ordinal: 6 })
  expect(asked.effects).toContainEqual({ type: 'need-history' })
  const freed = step(asked.state, { type: 'history', entries: done.ledger.tail }).state
  expect(holder(freed)).toBe(5)
  expect(rebuild(freed, done.ledger.tail).archive.members()).toEqual(freed.archive.members())
  const back = step(freed, { type: 'promote', candidate: { ...aResult(6), ordinal: 6 }, by: 'wendy' })
  expect(back.effects).toContainEqual({ type: 'need-history' })
  expect(holder(step(back.state, { type: 'history', entries: done.ledger.tail }).state)).toBe(6)
})
