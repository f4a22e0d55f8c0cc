import type { Estimate } from '../archive/comparison.ts'
import { leadOn } from '../archive/comparison.ts'
import type { CampaignState } from '../campaign/campaign.ts'
import type { LedgerEntry } from '../campaign/ledger.ts'
import type { HeldOut } from './held-out.ts'
import type { Summary } from './measurement.ts'
import { readValue } from './objective.ts'
import { findFailure, findOwnFailure } from './verdict.ts'

/** The current figures of a candidate: its latest measurement in an epoch, and the duels it won. */
export interface Figures extends Summary {
  readonly confirmed?: true | undefined
  readonly beats?: readonly number[] | undefined
  readonly heldOut?: HeldOut | undefined
}

/** The epoch of a ledger line. */
export function epochOf({ epoch = 1 }: Pick<LedgerEntry, 'epoch'>): number {
  return epoch
}

/** Whether a line counts against the candidate budget. */
export function isCandidateLine({ kind, verdict }: Pick<LedgerEntry, 'kind' | 'verdict'>): boolean {
  return kind === 'candidate' && !(verdict.status === 'refused' && verdict.reason === 'superseded')
}

/**
 * The figures of every measured candidate of an epoch, by ordinal. A later measurement replaces the one that selected
 * the candidate, which may have been chance. Overfitted candidates, and those that failed a later measurement, have none.
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
  if (isDisqualifying(entry)) figures.delete(parent)
  if (verdict.status === 'duelled' && verdict.won && known !== undefined)
    figures.set(parent, { ...known, beats: [...(known.beats ?? []), verdict.rival] })
  if (metrics === undefined || findFailure(verdict) !== undefined) return
  if (kind === 'candidate') figures.set(entry.ordinal, { metrics, interval })
  if (kind === 'baseline') figures.set(parent, { metrics })
  if (verdict.status !== 'confirmed') return
  const heldOut = entry.heldOut ?? known?.heldOut
  // Without noise, all measurements of an epoch are equal.
  if (interval !== undefined || known === undefined)
    figures.set(parent, { metrics, interval, confirmed: true, beats: known?.beats, heldOut })
  else if (heldOut !== undefined) figures.set(parent, { ...known, heldOut })
}

/**
 * Whether a line removes a candidate's figures because a later measurement failed. A candidate that crashes on new
 * inputs must not do better than one that answers wrongly. The root keeps its figures, because everything is measured
 * against it.
 */
export function isDisqualifying({
  kind,
  parent,
  verdict,
}: Pick<LedgerEntry, 'kind' | 'parent' | 'verdict'>): boolean {
  return kind === 'confirm' && parent !== 0 && findOwnFailure(verdict) !== undefined
}

/** Whether figures are better than the root's beyond the noise. */
export function isAhead(state: CampaignState, { metrics, interval }: Summary): boolean {
  const read = readValue(metrics, state.config.objectives)
  return read.status === 'valid' && standsOut(state, { value: read.value, interval })
}

/** Whether an estimate is better than the root's beyond the noise on some objective. */
export function standsOut({ campaign, config }: CampaignState, estimate: Estimate): boolean {
  const { baseline } = campaign
  if (baseline === undefined) return false
  return config.objectives.some(
    (objective, index) => leadOn(estimate, baseline, objective, index) === 'better',
  )
}
