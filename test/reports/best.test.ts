import { describe, expect, it } from 'vitest'
import type { CampaignState } from '../../src/core/campaign/campaign.ts'
import { renderCampaignText } from '../../src/reports/campaign/campaign-text.ts'
import { boxesFor } from '../../src/reports/campaign/checkboxes.ts'
import { renderDashboard } from '../../src/reports/campaign/dashboard-page.ts'
import { rankElites } from '../../src/reports/campaign/leaderboard.ts'
import { aCampaign, aConfig, aFailure } from '../support/builders.ts'
import { finished, playOut, stepWithHistory } from '../support/campaign-steps.ts'
import { begunNoisily, measured, turns } from '../support/noisy.ts'

const config = aConfig({ search: { window: 1 }, limits: { candidates: 2 } })
const begin = (order: 'ordinal' | 'arrival' = 'ordinal') => begunNoisily(aCampaign({ config, order }))
const dashboardOf = (state: CampaignState) => renderDashboard(state, { imageBase: '', imageSuffix: '' })
/** Each candidate in a cell of its own. */
const gains = (...shares: number[]) =>
  playOut(begin(), ({ ordinal, kind, parent }) => {
    const gain = shares[(kind === 'confirm' ? parent.ordinal : ordinal) - 1] ?? 0
    const result = measured(ordinal, turns(gain), ordinal === 1 ? 0.1 : 0.9)
    return kind === 'confirm' ? { ...result, commit: parent.commit, tree: parent.tree } : result
  })

describe('a finished campaign in which nothing stands out from the noise', () => {
  const done = gains(0.001, 0.0015)

  it('calls the baseline its best, wherever it names one, though others have larger numbers', () => {
    expect(done.campaign.status.phase).toBe('finished')
    expect(done.archive.members()).toHaveLength(3)
    expect(rankElites(done)[0]?.elite.ordinal).toBe(0)
    expect(dashboardOf(done)).toContain('Best: the baseline (no candidate is clearly better)\n')
    expect(renderCampaignText(done)).toContain('best      the baseline (no candidate is clearly better)\n')
  })

  it('offers nothing to promote', () => {
    expect(boxesFor(done).map(({ marker }) => marker)).toEqual(['resume'])
  })

  it('marks numbers that nobody measured again', () => {
    expect(dashboardOf(done)).toMatch(/\| candidate \| score ↑ \| gain \| measured \| niche \| commit \|/)
    expect(dashboardOf(done)).toMatch(/\| demo-0002 \| [\d.]+ \| \+0\.\d+ % \| once \|/)
    expect(renderCampaignText(done)).toMatch(/demo-0002 +[\d.]+ +\+0\.\d+ % +once +\d/)
  })
})

describe('a winner', () => {
  it('the report says that a winner was measured again', () => {
    const done = gains(0.2, 0.1)
    expect(dashboardOf(done)).toMatch(/Best: score 120, \*\*\+20\.0 %\*\* by demo-0001, measured again\n/)
    expect(renderCampaignText(done)).toContain('best      demo-0001, +20.0 %, measured again\n')
  })

  const lucky = stepWithHistory(begin('arrival'), finished(1, measured(1, turns(0.2)))).state
  const note = 'by demo-0001, not measured again'

  it('the report says that a winner is not measured again yet while the campaign runs', () => {
    expect(dashboardOf(lucky)).toContain(`${note} yet\n`)
  })

  it.each([
    ['it was stopped', { type: 'command', command: 'stop', detail: '' } as const],
    ['the machine failed', { type: 'timer' } as const],
  ])('the report says that a winner was never measured again when %s', (_, event) => {
    const told = stepWithHistory(lucky, event).state
    const done = playOut(told, () => aFailure({ reason: 'infrastructure', detail: 'no machine' }))
    expect(done.campaign.status.phase).toBe('finished')
    expect(dashboardOf(done)).toContain(`${note}: it may be partly luck\n`)
    expect(renderCampaignText(done)).toContain(', not measured again: it may be partly luck\n')
  })
})
