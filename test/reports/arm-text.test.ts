import { describe, expect, it } from 'vitest'
import type { CampaignState } from '../../src/core/campaign/campaign.ts'
import { noteDraw } from '../../src/core/planning/independent-arm.ts'
import { renderArm } from '../../src/reports/campaign/arm-text.ts'
import { renderCampaignText } from '../../src/reports/campaign/campaign-text.ts'
import { renderDashboard } from '../../src/reports/campaign/dashboard-page.ts'
import { aCampaign, anArchive, anElite } from '../support/builders.ts'
import { begun } from '../support/campaign-steps.ts'

/** A campaign whose best has this score, beside independent candidates with these gains. */
function campaign(best: number, gains: readonly number[]): CampaignState {
  const state = begun(aCampaign())
  const arm = gains.reduce((before, gain) => noteDraw(before, gain), noteDraw(undefined, 0))
  return {
    ...state,
    archive: anArchive([anElite({ ordinal: 0 }), anElite({ ordinal: 1, value: [best], descriptor: [0, 0] })]),
    campaign: { ...state.campaign, finished: 100, search: { ...state.campaign.search, arm } },
  }
}

const gains = Array.from({ length: 24 }, (_, index) => (index % 3 === 0 ? 0 : 0.01 * index))

describe('what the search added', () => {
  it('a search that paid is reported with an interval', () => {
    const [line] = renderArm(campaign(4, gains))
    expect(line).toMatch(
      /^The search paid: \+300\.0 %, where 100 independent candidates would reach about \+\d+\.\d % \(\+\d+\.\d % to \+\d+\.\d %\)$/,
    )
  })

  it('a search that independent candidates would equal is said to have added nothing', () => {
    expect(renderArm(campaign(1.1, gains))[0]).toMatch(
      /^The search added nothing beyond chance: \+10\.0 %, and/,
    )
  })

  it('fewer than 20 independent candidates are too few to tell', () => {
    expect(renderArm(campaign(4, [0.1, 0.2]))).toEqual([
      '3 independent candidates: too few to tell what the search added (20 are needed)',
    ])
  })

  it('terminal and dashboard show the comparison, and nothing without an arm', () => {
    const paid = campaign(4, gains)
    expect(renderCampaignText(paid)).toContain('evidence  The search paid: ')
    const target = { imageBase: '', imageSuffix: '' }
    expect(renderDashboard(paid, target)).toContain('\nThe search paid: ')
    expect(renderArm(begun(aCampaign()))).toEqual([])
  })
})
