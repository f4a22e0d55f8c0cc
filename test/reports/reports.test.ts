import { describe, expect, it } from 'vitest'
import type { CampaignState, LedgerEntry } from '../../src/core/campaign.ts'
import { findLineage } from '../../src/core/lineage.ts'
import { renderMap } from '../../src/reports/archive-map.ts'
import { renderCampaignText } from '../../src/reports/campaign-text.ts'
import { renderCandidate, renderVerdict } from '../../src/reports/candidate-text.ts'
import { rankElites } from '../../src/reports/leaderboard.ts'
import { renderGain, renderNumber } from '../../src/reports/numbers.ts'
import { aCampaign, aFailure, aResult } from '../support/builders.ts'
import { BASELINE, begun, finished, step } from '../support/campaign-steps.ts'

function played(): CampaignState {
  const better = aResult(1, { metrics: { score: 1.5, x: 0, y: 0 } })
  const equal = aResult(2, { metrics: { score: 1.5, x: 0.99, y: 0 } })
  const start = begun(aCampaign(), { ...BASELINE, metrics: { score: 1, x: 0.5, y: 0.5 } })
  return step(
    start,
    finished(1, better),
    finished(2, equal),
    finished(3, aFailure({ detail: 'exit code 1' })),
  ).state
}

function entriesOf({ ledger }: CampaignState): Map<number, LedgerEntry> {
  return new Map(ledger.tail.map((entry) => [entry.ordinal, entry]))
}

function entryOf(state: CampaignState, ordinal: number): LedgerEntry {
  const entry = entriesOf(state).get(ordinal)
  if (entry === undefined) throw new Error(`no entry ${ordinal}`)
  return entry
}

describe('numbers for people', () => {
  it.each([
    [0, '0'],
    [1234567, '1234570'],
    [0.1 + 0.2, '0.3'],
    [-2.5, '-2.5'],
    [1e12, '1e+12'],
    [0.00001234, '1.234e-5'],
    [Number.NaN, 'NaN'],
    [Number.NEGATIVE_INFINITY, '-Infinity'],
  ])('shows %d as %s', (value, text) => {
    expect(renderNumber(value)).toBe(text)
  })

  it.each([
    [0.1234, '+12.3 %'],
    [0.05, '+5.00 %'],
    [-0.5, '−50.0 %'],
    [0, '+0.00 %'],
    [undefined, 'n/a'],
  ])('shows the gain %d as %s', (gain, text) => {
    expect(renderGain(gain)).toBe(text)
  })
})

describe('a campaign', () => {
  it('ranks elites best first, of equals the older one, with their gain', () => {
    const ranked = rankElites(played())
    expect(ranked.map(({ elite, gain }) => [elite.ordinal, gain])).toEqual([
      [1, 0.5],
      [2, 0.5],
      [0, 0],
    ])
  })

  it('is told in text, before and after its baseline', () => {
    expect(renderCampaignText(aCampaign())).toBe('demo: Measuring the baseline.')
    const text = renderCampaignText(played())
    expect(text).toContain('baseline  score 1\n')
    expect(text).toMatch(/1 {2}demo-0001 {2}1\.5 {4}\+50\.0 % {2}cell 0-0/)
  })

  it('is drawn with the first axis to the right and the second upwards', () => {
    const lines = renderMap(played(), (text) => text).split('\n')
    expect(lines).toEqual([
      '  y (0 to 1) ↑',
      '  ┌────────┬────────┬────────┐',
      '  │   ·    │   ·    │   ·    │',
      '  ├────────┼────────┼────────┤',
      '  │   ·    │   +0.0 │   ·    │',
      '  ├────────┼────────┼────────┤',
      '  │  +50.0 │   ·    │  +50.0 │',
      '  └────────┴────────┴────────┘',
      '  x (0 to 1) →',
    ])
  })
})

describe('a candidate', () => {
  it.each<[verdict: LedgerEntry['verdict'], text: string]>([
    [{ status: 'admitted', as: 'new-cell', cell: '1-2' }, 'admitted: first in cell 1-2'],
    [{ status: 'admitted', as: 'improved', cell: '1-2', replaced: 3 }, 'admitted: took cell 1-2 from 3'],
    [
      { status: 'refused', reason: 'not-better', cell: '0-0', holder: 4 },
      'refused: not better than 4 in cell 0-0',
    ],
    [{ status: 'refused', reason: 'tie', cell: '0-0', holder: 4 }, 'refused: equal to 4 in cell 0-0'],
    [{ status: 'refused', reason: 'duplicate', of: 2 }, 'refused: the same files as 2'],
    [
      { status: 'refused', reason: 'guard-blocked', detail: 'symlink: a' },
      'refused: guard-blocked: symlink: a',
    ],
  ])('has its verdict in words: %j', (verdict, text) => {
    expect(renderVerdict(verdict)).toBe(text)
  })

  it('is shown with verdict, metrics and lineage; a failed one without figures', () => {
    const state = played()
    const entry = entryOf(state, 1)
    const lineage = findLineage(entry, entriesOf(state))
    expect(lineage.map(({ ordinal }) => ordinal)).toEqual([1, 0])
    const text = renderCandidate(state, { entry, lineage, again: [] })
    expect(text).toContain('demo-0001: changed 1')
    expect(text).toMatch(/score {2}1\.5 {2}baseline 1\n/)
    expect(text).toContain('1 file, +2 −1 lines from the root')
    const failed = entryOf(state, 3)
    const failedText = renderCandidate(state, {
      entry: failed,
      lineage: findLineage(failed, entriesOf(state)),
      again: [],
    })
    expect(failedText).toContain('refused: gate-failed: exit code 1')
    expect(failedText).not.toContain('metrics')
  })
})
