import { describe, expect, it } from 'vitest'
import type { CampaignState } from '../../src/core/campaign/campaign.ts'
import type { LedgerEntry } from '../../src/core/campaign/ledger.ts'
import { findLineage } from '../../src/core/planning/lineage.ts'
import { renderCampaignText } from '../../src/reports/campaign/campaign-text.ts'
import { rankElites } from '../../src/reports/campaign/leaderboard.ts'
import { renderCandidate, renderVerdict } from '../../src/reports/candidate/candidate-text.ts'
import { renderAxes, renderMap } from '../../src/reports/map/archive-map.ts'
import { renderArchiveSvg } from '../../src/reports/map/archive-svg.ts'
import { escapeXml } from '../../src/reports/map/xml.ts'
import { renderGain, renderNumber } from '../../src/reports/numbers.ts'
import { aCampaign, aConfig, aFailure, aResult } from '../support/builders.ts'
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
  ])('shows the number %d as %s', (value, text) => {
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

  it('renders a campaign as text, before and after its baseline', () => {
    expect(renderCampaignText(aCampaign())).toBe('demo: Measuring the baseline.')
    const text = renderCampaignText(played())
    expect(text).toContain('baseline  score 1\n')
    expect(text).toMatch(/1 {2}demo-0001 {2}1\.5 {4}\+50\.0 % {2}0-0/)
  })

  it('draws the first axis to the right and the second upwards', () => {
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

describe('a map', () => {
  const metrics = ['x', 'y', 'z'].map((metric) => ({ kind: 'metric' as const, metric, min: 0, max: 1 }))
  const drawnWith = (count: number): [text: string, svg: string] => {
    const axes = metrics.slice(0, count)
    const state = aCampaign({ config: aConfig({ search: { descriptor: 'metrics', axes } }) })
    return [renderMap(state, (text) => text), renderArchiveSvg(state)]
  }
  const THIRD = 'not drawn: z (0 to 1); niches along it share a box, which shows the best'

  it('names a third axis, in text and in the picture', () => {
    for (const drawn of drawnWith(3)) expect(drawn).toContain(THIRD)
    for (const drawn of drawnWith(2)) expect(drawn).not.toContain('not drawn')
  })

  it('a map of one axis has nothing upwards', () => {
    for (const drawn of drawnWith(1)) expect(drawn).not.toContain('↑')
    for (const drawn of drawnWith(2)) expect(drawn).toContain('↑')
  })

  it('the picture has room for every axis name', () => {
    const [, svg] = drawnWith(3)
    const [, height = 0] = /viewBox="0 0 \d+ (\d+)"/.exec(svg)?.map(Number) ?? []
    const lowest = Math.max(...[...svg.matchAll(/<text x="14" y="(\d+)"/g)].map(([, y]) => Number(y)))
    expect(height).toBeGreaterThan(lowest)
  })
})

describe('names of learned axes', () => {
  it('names of learned axes hold nothing that breaks a terminal or a picture', () => {
    const axes = [{ kind: 'learned' }, { kind: 'learned' }] as const
    const state = aCampaign({ config: aConfig({ search: { descriptor: 'delta', axes } }) })
    const name = { low: 'src/\u001b[2Ja\u0007.js', high: 'one\ntwo <b>' }
    const named = { ...state, projection: { ...state.projection, names: [name, name] } }
    expect(renderAxes(named)).toEqual(['src/a.js … one two <b>', 'src/a.js … one two <b>'])
    expect(renderArchiveSvg(named)).toContain('src/a.js … one two &#60;b&#62;')
    expect(escapeXml('a\u0000\ud800\u0008b\ufffe😀')).toBe('ab😀')
  })
})

describe('a candidate', () => {
  it.each<[verdict: LedgerEntry['verdict'], text: string]>([
    [{ status: 'admitted', as: 'new-cell', cell: '1-2' }, 'Kept: first of its kind (niche 1-2)'],
    [
      { status: 'admitted', as: 'improved', cell: '1-2', replaced: 3 },
      'Kept: best of its kind, replaces 0003 (niche 1-2)',
    ],
    [
      { status: 'refused', reason: 'not-better', cell: '0-0', holder: 4 },
      'Not kept: no better than 0004 (niche 0-0)',
    ],
    [{ status: 'refused', reason: 'tie', cell: '0-0', holder: 4 }, 'Not kept: equal to 0004 (niche 0-0)'],
    [{ status: 'refused', reason: 'duplicate', of: 2 }, 'Not kept: same files as 0002'],
    [
      { status: 'refused', reason: 'guard-blocked', detail: 'symlink: a' },
      'Refused: guard-blocked: symlink: a',
    ],
  ])('renders the verdict %j', (verdict, text) => {
    expect(renderVerdict(verdict)).toBe(text)
  })

  it('shows a candidate with verdict, metrics and lineage, and a failed one without figures', () => {
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
    expect(failedText).toContain('Refused: gate-failed: exit code 1')
    expect(failedText).not.toContain('metrics')
  })
})
