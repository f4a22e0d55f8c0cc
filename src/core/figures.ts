import type { LedgerEntry } from './campaign.ts'
import type { Summary } from './measurement.ts'
import { findFailure } from './verdict.ts'

/** What counts for one candidate: its latest measurement in an epoch, and the duels that it won. */
export interface Figures extends Summary {
  readonly confirmed?: true | undefined
  readonly beats?: readonly number[] | undefined
}

/** The epoch that a line of the ledger belongs to. */
export function epochOf({ epoch = 1 }: Pick<LedgerEntry, 'epoch'>): number {
  return epoch
}

/** Whether a line spent a candidate of the budget. */
export function isCandidateLine({ kind, verdict }: Pick<LedgerEntry, 'kind' | 'verdict'>): boolean {
  return kind === 'candidate' && !(verdict.status === 'refused' && verdict.reason === 'superseded')
}

/**
 * The figures of every candidate that has some in an epoch, by ordinal. A later measurement takes the place of the
 * one that the candidate was chosen for, which may have been luck; what turned out to be fitted to its inputs has none.
 */
export function findFigures(entries: Iterable<LedgerEntry>, epoch: number): ReadonlyMap<number, Figures> {
  const figures = new Map<number, Figures>()
  for (const entry of entries) {
    if (epochOf(entry) === epoch) takeLine(figures, entry)
  }
  return figures
}

function takeLine(figures: Map<number, Figures>, entry: LedgerEntry): void {
  const { kind, parent, verdict, metrics, interval } = entry
  const known = figures.get(parent)
  if (verdict.status === 'overfitted') figures.delete(verdict.of)
  if (verdict.status === 'duelled' && verdict.won && known !== undefined)
    figures.set(parent, { ...known, beats: [...(known.beats ?? []), verdict.rival] })
  if (metrics === undefined || findFailure(verdict) !== undefined) return
  if (kind === 'candidate') figures.set(entry.ordinal, { metrics, interval })
  if (kind === 'baseline') figures.set(parent, { metrics })
  // Where nothing varies, one measurement of an epoch is as good as the next.
  if (verdict.status === 'confirmed' && (interval !== undefined || known === undefined))
    figures.set(parent, { metrics, interval, confirmed: true, beats: known?.beats })
}
