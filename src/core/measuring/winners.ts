import { type Elite, findBest } from '../archive/archive.ts'
import { dominates } from '../archive/front.ts'
import type { CampaignState } from '../campaign/campaign.ts'
import { compareValues, type Objective, type Value } from './objective.ts'

/**
 * The candidates worth a review. One objective: the best. Several: the best on each, then other non-dominated
 * trade-offs. At most one per cell and `count` in all, and each better than the baseline on some objective.
 */
export function findWinners({ archive, campaign, config }: CampaignState, count: number): readonly Elite[] {
  const { objectives } = config
  const { baseline, control } = campaign
  const best = findBest(archive, objectives)
  if (best === undefined || baseline === undefined) return []
  const elites = archive.members().map(({ elite }) => elite)
  const front = elites.filter((elite) => !elites.some((other) => dominates(other, elite, objectives)))
  const ranked = objectives.length === 1 ? [best] : [best, ...bestOnEach(front, objectives), ...front]
  const worth = ranked.filter(
    ({ ordinal, value }) =>
      !control.declined.includes(ordinal) && isBetterSomewhere(value, baseline.value, objectives),
  )
  const byCell = new Map<string, Elite>()
  for (const elite of worth) {
    const cell = archive.cellOf(elite.descriptor)
    if (!byCell.has(cell)) byCell.set(cell, elite)
  }
  return [...byCell.values()].slice(0, count)
}

/** Whether a value is better than another on at least one objective. */
function isBetterSomewhere(value: Value, than: Value, objectives: readonly Objective[]): boolean {
  return objectives.some(({ direction }, index) => {
    const difference = (value[index] ?? Number.NaN) - (than[index] ?? Number.NaN)
    return direction === 'maximize' ? difference > 0 : difference < 0
  })
}

function bestOnEach(front: readonly Elite[], objectives: readonly Objective[]): Elite[] {
  return objectives.flatMap((_, index) => {
    const turned = [...objectives.slice(index), ...objectives.slice(0, index)]
    const turn = ({ value }: Elite): Value => [...value.slice(index), ...value.slice(0, index)]
    const [first] = front.toSorted((a, b) => compareValues(turn(b), turn(a), turned) || a.ordinal - b.ordinal)
    return first === undefined ? [] : [first]
  })
}
