import { describe, expect, it } from 'vitest'
import { NO_USAGE } from '../../../src/core/budget/budget.ts'
import type { Job } from '../../../src/core/campaign/job.ts'
import type { LedgerEntry } from '../../../src/core/campaign/ledger.ts'
import { findDistinctivePath } from '../../../src/core/planning/lineage.ts'
import { linesSeen, recall } from '../../../src/core/planning/recall.ts'
import { aConfig, ROOT } from '../../support/builders.ts'

function anEntry(ordinal: number, parent: number, changes: Partial<LedgerEntry> = {}): LedgerEntry {
  return {
    ordinal,
    attempt: 1,
    kind: ordinal === 0 ? 'baseline' : 'candidate',
    operator: 'mutate',
    parent,
    inspirations: [],
    verdict: { status: 'admitted', as: 'new-cell', cell: '0-0' },
    summary: `did ${ordinal}`,
    metrics: { score: 10 + ordinal },
    usage: NO_USAGE,
    ...changes,
  }
}

const failed = (ordinal: number, parent: number): LedgerEntry => {
  const { metrics: _none, ...entry } = anEntry(ordinal, parent)
  return { ...entry, verdict: { status: 'refused', reason: 'gate-failed', detail: 'exit\ncode 1' } }
}

const ledger = (...entries: LedgerEntry[]): Map<number, LedgerEntry> =>
  new Map(entries.map((entry) => [entry.ordinal, entry]))

const ref = (ordinal: number) => ({ ordinal, commit: ROOT.commit, tree: ROOT.tree })
const aJob = (changes: Partial<Job> = {}): Job => ({
  ordinal: 9,
  attempt: 1,
  kind: 'candidate',
  operator: 'mutate',
  parent: ref(2),
  inspirations: [],
  ...changes,
})

describe('recall', () => {
  const history = ledger(
    anEntry(0, 0),
    anEntry(1, 0),
    anEntry(2, 1),
    failed(3, 2),
    failed(4, 1),
    anEntry(5, 1),
  )

  it('knows baseline and best of each objective', () => {
    const { objectives } = recall(aConfig(), aJob(), history)
    expect(objectives).toMatchObject([{ metric: 'score', direction: 'maximize', baseline: 10, best: 15 }])
  })

  it('describes the parent and its gain on the baseline', () => {
    const { parent } = recall(aConfig(), aJob(), history)
    expect(parent).toMatchObject({ ordinal: 2, summary: 'did 2', metrics: { score: 12 }, gain: 0.2 })
  })

  it('shows of an inspiration what its line did since it parted from the parent', () => {
    const { inspirations } = recall(aConfig(), aJob({ inspirations: [ref(5)] }), history)
    expect(inspirations[0]?.path).toEqual(['5: did 5'])
  })

  it('puts the largest gains over a parent first among the lessons', () => {
    expect(recall(aConfig(), aJob(), history).lessons).toEqual([
      'candidate 5, +36.4 %: did 5',
      'candidate 1, +10.0 %: did 1',
      'candidate 2, +9.1 %: did 2',
    ])
  })

  it('says nothing of confirmations that failed: they may be about held-out inputs', () => {
    const confirmation = { ...failed(6, 2), kind: 'confirm' as const }
    const { failures } = recall(aConfig(), aJob(), ledger(...history.values(), confirmation))
    expect(failures).toEqual(recall(aConfig(), aJob(), history).failures)
  })

  it('puts failures on the same parent first, in one line each', () => {
    expect(recall(aConfig(), aJob(), history).failures).toEqual([
      'candidate 3, gate-failed: did 3 (exit code 1)',
      'candidate 4, gate-failed: did 4 (exit code 1)',
    ])
  })

  it('hands a repair the failed attempt with its diagnostic', () => {
    expect(recall(aConfig(), aJob({ operator: 'repair', repairs: 3 }), history).repair).toEqual({
      ordinal: 3,
      summary: 'did 3',
      reason: 'gate-failed',
      diagnostic: 'exit\ncode 1',
    })
  })

  it('lets a seed see the baseline alone', () => {
    expect(linesSeen(aJob())).toBe(1)
    expect(linesSeen(aJob({ seen: 6 }))).toBe(6)
  })
})

describe('findDistinctivePath', () => {
  it('keeps the beginning and the end of a long path', () => {
    const line = ledger(anEntry(0, 0), ...Array.from({ length: 10 }, (_, index) => anEntry(index + 1, index)))
    expect(findDistinctivePath(line, 10, 0)).toEqual([
      '1: did 1',
      '2: did 2',
      '(4 steps left out)',
      '7: did 7',
      '8: did 8',
      '9: did 9',
      '10: did 10',
    ])
  })

  it('findDistinctivePath returns an empty path for an unknown candidate', () => {
    expect(findDistinctivePath(ledger(anEntry(0, 0)), 7, 0)).toEqual([])
  })
})
