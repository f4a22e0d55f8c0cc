import { describe, expect, it } from 'vitest'
import { tick } from '../../src/core/campaign/tick.ts'
import { encodeVector } from '../../src/core/space/embedding.ts'
import type { LeftOut } from '../../src/core/space/left-out.ts'
import { renderCampaignText } from '../../src/reports/campaign/campaign-text.ts'
import { renderDashboard } from '../../src/reports/campaign/dashboard-page.ts'
import { aCampaign, aResult } from '../support/builders.ts'

const now = new Date('2026-01-01T00:00:00Z')

function finished(ordinal: number, leftOut?: LeftOut) {
  const embedding = { vector: encodeVector([1, 0], 1), files: [], terms: [], ...(leftOut && { leftOut }) }
  return { type: 'finished', ordinal, attempt: 1, result: aResult(ordinal, { embedding }) } as const
}

function played(...leftOut: (LeftOut | undefined)[]) {
  return leftOut.reduce<ReturnType<typeof aCampaign>>(
    (state, each, ordinal) => tick(state, [finished(ordinal, each)], now).state,
    aCampaign(),
  )
}

describe('files that are left out of the niches', () => {
  const state = played({ 'not-source': 3, ignored: 1 }, { generated: 2 }, undefined, {
    generated: 1,
    binary: 1,
  })

  it('counts ignored files by reason, for the root and for all candidates', () => {
    expect(state.campaign.search.leftOut).toEqual({
      root: { 'not-source': 3, ignored: 1 },
      changes: { generated: 3, binary: 1 },
    })
  })

  it('shows ignored files in the terminal and on the dashboard', () => {
    const said = [
      '4 files in the root, by name (ignored 1, not-source 3)',
      '4 files changed by candidates (generated 3, binary 1)',
    ]
    for (const line of said) {
      expect(renderCampaignText(state)).toContain(`left out  ${line}`)
      expect(renderDashboard(state, { imageBase: '', imageSuffix: '' })).toContain(`- ${line}`)
    }
  })

  it('does not mention ignored files when there are none', () => {
    const none = played(undefined, undefined)
    expect(renderCampaignText(none)).not.toContain('left out')
    expect(renderDashboard(none, { imageBase: '', imageSuffix: '' })).not.toContain('Left out')
  })
})
