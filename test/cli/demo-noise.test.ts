import { describe, expect, it } from 'vitest'
import { assertMeasured } from '../../src/entrypoints/cli/demo/words.ts'
import { aCampaign, aConfig, aFailure, aResult } from '../support/builders.ts'
import { begun, finished, stepWithHistory } from '../support/campaign-steps.ts'
import { begunNoisily, measured, turns } from '../support/noisy.ts'

const config = aConfig({ search: { window: 1 }, limits: { candidates: 1 } })
const campaign = aCampaign({ config, order: 'arrival' })

describe("the demo's second act", () => {
  it('accepts candidates interleaved with the root, whatever their result', () => {
    const noisy = begunNoisily(campaign)
    for (const gain of [0.3, 0, -0.3]) {
      const { state } = stepWithHistory(noisy, finished(1, measured(1, turns(gain))))
      expect(() => assertMeasured(state)).not.toThrow()
    }
  })

  it('fails when varying numbers count as exact', () => {
    const exact = stepWithHistory(begun(campaign), finished(1, aResult(1))).state
    expect(() => assertMeasured(exact)).toThrow("The root's noise was not measured.")
  })

  it('fails when candidates are missing, or none was interleaved with the root', () => {
    const noisy = begunNoisily(campaign)
    expect(() => assertMeasured(noisy)).toThrow('Only 0 of 1 candidates were tried.')
    const { state } = stepWithHistory(noisy, finished(1, aFailure()))
    expect(() => assertMeasured(state)).toThrow('No candidate was interleaved with the root.')
  })
})
