import { describe, expect, it } from 'vitest'
import type { CampaignState } from '../../src/core/campaign/campaign.ts'
import type { Job } from '../../src/core/campaign/job.ts'
import type { LedgerEntry } from '../../src/core/campaign/ledger.ts'
import { findLineage } from '../../src/core/planning/lineage.ts'
import { renderDashboard } from '../../src/reports/campaign/dashboard-page.ts'
import { renderCheck } from '../../src/reports/candidate/check-run-text.ts'
import { renderPull, renderPullComment } from '../../src/reports/candidate/pull-text.ts'
import { aCampaign, aConfig } from '../support/builders.ts'
import { finished, stepWithHistory } from '../support/campaign-steps.ts'
import { begunNoisily, measured, turns } from '../support/noisy.ts'

const config = aConfig({ search: { window: 1 }, limits: { candidates: 1 } })

function again(state: CampaignState, purpose: Job['purpose'], heldOut: number): CampaignState {
  const job = [...state.jobs.values()].find((open) => open.purpose === purpose)
  if (job === undefined) throw new Error(`nothing is measured again as ${purpose}`)
  const samples = [...turns(0.3), ...turns(heldOut, { stage: 'held-out' })]
  const { commit, tree } = job.parent
  return stepWithHistory(state, finished(job.ordinal, { ...measured(0, samples), commit, tree })).state
}

/** A campaign of one candidate with a gain of 30 %, measured again on held-out inputs with that gain. */
function played(heldOut: number, finalHeldOut = heldOut): CampaignState {
  const start = begunNoisily(aCampaign({ config, order: 'arrival' }))
  const found = stepWithHistory(start, finished(1, measured(1, turns(0.3)))).state
  const first = again(found, 'best', heldOut)
  return [...first.jobs.values()].some(({ purpose }) => purpose === 'final')
    ? again(first, 'final', finalHeldOut)
    : first
}

function historyOf({ ledger }: CampaignState) {
  const entries = new Map(ledger.tail.map((entry) => [entry.ordinal, entry]))
  const entry = entries.get(1)
  if (entry === undefined) throw new Error('no entry')
  const later = ledger.tail.filter(({ kind }: LedgerEntry) => kind === 'confirm')
  return { entry, lineage: findLineage(entry, entries), again: later, command: 'x', ciHeld: false }
}

const dashboardOf = (state: CampaignState) => renderDashboard(state, { imageBase: '', imageSuffix: '' })

describe('the gain on held-out inputs', () => {
  const honest = played(0.25)
  const gap = 'Gain on held-out inputs: +25.0 %, on the known inputs: +30.0 %'

  it('the dashboard shows the held-out gain of the best, of each elite and of each pull request', () => {
    const page = dashboardOf(honest)
    expect(page).toMatch(/Best: .* by demo-0001, measured again\. Gain on held-out inputs: \+25\.0 %/)
    expect(page).toContain('| candidate | score ↑ | gain | measured | held-out gain | niche | commit |')
    expect(page).toMatch(/\| demo-0001 \| 130 \| \+30\.0 % \| again \| \+25\.0 % \|/)
    expect(page).toMatch(new RegExp(`- demo-0001, confirmed\\. ${gap.replaceAll('+', '\\+')}`))
  })

  it('the check run and the pull request show the held-out gain', () => {
    expect(renderCheck(honest, historyOf(honest)).summary).toContain(`- ${gap}.`)
    const [pull] = honest.campaign.control.pulls
    if (pull === undefined) throw new Error('nothing was offered')
    expect(renderPull(honest, pull, historyOf(honest)).body).toContain(`- ${gap}.`)
    expect(renderPullComment(honest, pull, historyOf(honest))).toContain(`- ${gap}.`)
  })
})

describe('a gain on the known inputs alone', () => {
  it('the dashboard and the check run name an overfitted candidate, which holds no niche', () => {
    const cheat = played(0.01)
    const gap = 'Gain on held-out inputs: +1.00 %, on the known inputs: +30.0 % (overfitted)'
    const page = dashboardOf(cheat)
    expect(page).toContain('### Overfitted to the known inputs')
    expect(page).toContain(`- demo-0001 holds no niche. ${gap}`)
    expect(page).not.toMatch(/\| demo-0001 \|/)
    expect(renderCheck(cheat, historyOf(cheat)).summary).toContain(gap)
  })

  it('the dashboard says why an overfitted candidate got no pull request', () => {
    const late = played(0.25, 0.01)
    expect(dashboardOf(late)).toMatch(/- demo-0001, refused: overfitted.*Gain on held-out inputs: \+1\.00 %/)
  })
})
