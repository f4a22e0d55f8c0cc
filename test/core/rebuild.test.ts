import { expect, it } from 'vitest'
import { rebuild } from '../../src/core/rebuild.ts'
import { aCampaign, aConfig, aFailure, aResult } from '../support/builders.ts'
import { begun, playOut } from '../support/campaign-steps.ts'

it('leads from the ledger to the same elites, past failures and duplicates', () => {
  const config = aConfig({ limits: { candidates: 40 } })
  const done = playOut(begun(aCampaign({ config })), ({ ordinal }) => {
    if (ordinal % 7 === 0) return aFailure()
    const name = ordinal % 5 === 0 ? 'same' : ordinal
    return aResult(name, { metrics: { score: (ordinal * 13) % 11, x: (ordinal % 8) / 8, y: 0 } })
  })
  const rebuilt = rebuild(done, done.ledger.tail).archive
  expect(rebuilt.members()).toEqual(done.archive.members())
  expect(rebuilt.members().length).toBeGreaterThan(2)
})
