import type { CampaignState, LedgerEntry } from './campaign.ts'
import { epochOf } from './figures.ts'
import { compareValues, readValue, type Value } from './objective.ts'

/**
 * Whether a line shows that an evaluator is not deterministic after all: a few equal runs of the root may have been
 * chance, or numbers too coarse to differ, but the same files measured again gave another value.
 */
export function showsNoise(state: CampaignState, entry: LedgerEntry): boolean {
  const { campaign, config } = state
  const { status } = entry.verdict
  if (campaign.baseline?.deterministic !== true || (status !== 'confirmed' && status !== 'overfitted'))
    return false
  const first = findFirst(state, entry.parent)
  const again = readValue(entry.metrics ?? {}, config.objectives)
  if (first === undefined || again.status === 'refused') return false
  return compareValues(first, again.value, config.objectives) !== 0
}

// What it was measured with in this epoch: as an elite, or as a line that is still at hand.
function findFirst({ archive, campaign, config, ledger }: CampaignState, ordinal: number): Value | undefined {
  const elite = archive.members().find((member) => member.elite.ordinal === ordinal)?.elite
  if (elite !== undefined) return elite.value
  const line = ledger.tail.find(
    (entry) => entry.ordinal === ordinal && epochOf(entry) === campaign.epoch && entry.kind === 'candidate',
  )
  const read = readValue(line?.metrics ?? {}, config.objectives)
  return read.status === 'valid' ? read.value : undefined
}
