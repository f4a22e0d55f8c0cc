import type { CampaignState, SearchMemory } from '../campaign/campaign.ts'
import type { LedgerEntry } from '../campaign/ledger.ts'
import { isDisqualifying } from '../measuring/figures.ts'
import { readValue } from '../measuring/objective.ts'
import { findFailure } from '../measuring/verdict.ts'
import {
  addBreeder,
  type Breeder,
  type Breeding,
  findGain,
  logGain,
  NO_BREEDING,
  noteYield,
  removeBreeder,
  updateBreeder,
} from './breeding.ts'
import { noteDraw } from './independent-arm.ts'

/** Applies a ledger line to what the search remembers about parents and about the independent arm. */
export function followLine(state: CampaignState, search: SearchMemory, entry: LedgerEntry): SearchMemory {
  const followed =
    state.config.search.policy === 'adaptive'
      ? { ...search, breeding: followBreeders(state, search.breeding, entry) }
      : search
  if (entry.independent !== true) return followed
  return { ...followed, arm: noteDraw(search.arm, gainOverRoot(state, entry)) }
}

function gainOverRoot({ campaign, config }: CampaignState, { metrics = {}, verdict }: LedgerEntry): number {
  const read = readValue(metrics, config.objectives)
  if (read.status === 'refused' || findFailure(verdict) !== undefined) return 0
  return campaign.baseline === undefined ? 0 : logGain(read.value, campaign.baseline.value, config.objectives)
}

function followBreeders(
  state: CampaignState,
  breeding: Breeding = NO_BREEDING,
  entry: LedgerEntry,
): Breeding {
  const { objectives } = state.config
  const { kind, verdict, metrics = {}, interval, commit, tree } = entry
  const isBred = kind === 'candidate' && entry.independent !== true
  const of = kind === 'candidate' ? entry.ordinal : entry.parent
  if (verdict.status === 'overfitted' || isDisqualifying(entry)) return removeBreeder(breeding, of)
  const read = readValue(metrics, objectives)
  if (read.status === 'refused' || findFailure(verdict) !== undefined)
    return isBred ? noteYield(breeding, entry.operator, 0) : breeding
  if (commit === undefined || tree === undefined || verdict.status === 'duelled') return breeding
  const figures = { value: read.value, interval }
  if (breeding.pool.some(({ ordinal }) => ordinal === of))
    return updateBreeder(breeding, of, figures, objectives)
  // A new measurement of a candidate that was forgotten says nothing about its parent.
  const parent = kind === 'candidate' ? findParent(state, breeding.pool, entry.parent) : undefined
  const measured = { ordinal: of, commit, tree, island: entry.island, ...figures }
  const added = addBreeder(breeding, measured, { parent, objectives })
  return isBred ? noteYield(added, entry.operator, findGain(measured, parent, objectives) ?? 0) : added
}

// The root's value is always known, even when better ones have displaced it.
function findParent(
  { campaign: { baseline, root } }: CampaignState,
  pool: readonly Breeder[],
  ordinal: number,
): Breeder | undefined {
  const found = pool.find((breeder) => breeder.ordinal === ordinal)
  if (found !== undefined || ordinal !== 0 || baseline === undefined) return found
  return { ordinal: 0, commit: root.commit, tree: root.tree, value: baseline.value, line: [] }
}
