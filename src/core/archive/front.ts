import { compareValues, type Objective, type Value } from '../measuring/objective.ts'
import { type CellRefusal, type Elite, findBest } from './archive.ts'
import { type Estimate, leadOn } from './comparison.ts'

/** What a front is asked with: how elites are compared, how many may stay, and whom a close call must beat. */
export interface FrontRules {
  readonly objectives: readonly Objective[]
  readonly size: number
  /** Finds the best of the island, if there is one. Only close calls ask: it means a look at every elite. */
  readonly findBest: () => Estimate | undefined
}

/** What became of a candidate that asked for a place among a cell's elites. */
export type FrontOutcome =
  | {
      readonly status: 'joined'
      readonly front: readonly Elite[]
      /** Those it is better than in every way that can be told. */
      readonly replaced: readonly number[]
      /** The one that had to go because the front was full. */
      readonly dropped?: number | undefined
    }
  | {
      readonly status: 'refused'
      readonly reason: CellRefusal
      readonly holder: number
    }

/**
 * Asks for a place in a Pareto front. A candidate joins if it is surely better than each member on some objective, and
 * takes the place of those than which it is surely worse on none: a difference within the noise is no reason to stay.
 * Only the front's best stays beside one that is behind it on the first objective: many that are each behind by little
 * would take its place by steps, and the last one be far behind. Without noise this is strict Pareto dominance, where
 * ties keep the older. A full front drops the member in its most
 * crowded part (NSGA-II's crowding distance), the youngest of equals, and never its best.
 */
export function joinFront(front: readonly Elite[], elite: Elite, rules: FrontRules): FrontOutcome {
  const relations = front.map((member) => ({ member, ...relate(elite, member, rules) }))
  const stronger = relations.find(({ better }) => !better)
  if (stronger !== undefined)
    return { status: 'refused', reason: stronger.refusal, holder: stronger.member.ordinal }
  const best = sortFront(front, rules.objectives)[0]
  const replaced = relations
    .filter(({ member, worse, isBehind }) => !worse && !(member === best && isBehind))
    .map(({ member }) => member)
  const joined = sortFront([...front.filter((member) => !replaced.includes(member)), elite], rules.objectives)
  const dropped = joined.length > rules.size ? mostCrowded(joined, rules.objectives) : undefined
  if (dropped === elite) return { status: 'refused', reason: 'crowded', holder: joined[0]?.ordinal ?? 0 }
  return {
    status: 'joined',
    front: joined.filter((member) => member !== dropped),
    replaced: replaced.map(({ ordinal }) => ordinal),
    dropped: dropped?.ordinal,
  }
}

/** Whether an elite is surely better than another on some objective, and surely worse on none. */
export function dominates(a: Elite, b: Elite, objectives: readonly Objective[]): boolean {
  const { better, worse } = relate(a, b, { objectives, findBest: () => undefined })
  return better && !worse
}

interface Relation {
  /** Surely better on some objective. */
  readonly better: boolean
  /** Surely worse on some objective. */
  readonly worse: boolean
  /** Worse on the first objective, surely or not. */
  readonly isBehind: boolean
  /** What to say to it where it is not better. */
  readonly refusal: CellRefusal
}

function relate(
  elite: Elite,
  member: Elite,
  { objectives, findBest: findIslandBest }: Pick<FrontRules, 'objectives' | 'findBest'>,
): Relation {
  const leads = objectives.map((objective, index) => leadOn(elite, member, objective, index))
  const [first] = objectives
  // Ahead by little of the member, but surely ahead of the best, which the member is not.
  const best = leads[0] === 'ahead' ? findIslandBest() : undefined
  const standsOut = best !== undefined && first !== undefined && leadOn(elite, best, first, 0) === 'better'
  const worse = leads.includes('worse')
  return {
    better: standsOut || leads.includes('better'),
    worse,
    isBehind: leads[0] === 'behind' || leads[0] === 'worse',
    refusal: leads.every((lead) => lead === 'equal')
      ? 'tie'
      : leads.includes('ahead') && !worse
        ? 'close-call'
        : 'not-better',
  }
}

/** Best on the first objective first; of equals the older. */
function sortFront(front: readonly Elite[], objectives: readonly Objective[]): readonly Elite[] {
  return front.toSorted((a, b) => compareValues(b.value, a.value, objectives) || a.ordinal - b.ordinal)
}

function mostCrowded(front: readonly Elite[], objectives: readonly Objective[]): Elite | undefined {
  const distances = crowdingDistances(
    front.map(({ value }) => value),
    objectives.length,
  )
  const best = findBest({ members: () => front.map((elite) => ({ elite })) }, objectives)
  const candidates = front
    .map((elite, index) => ({ elite, distance: distances[index] ?? 0 }))
    .filter(({ elite }) => elite !== best)
  return candidates.sort((a, b) => byDistance(a.distance, b.distance) || b.elite.ordinal - a.elite.ordinal)[0]
    ?.elite
}

function byDistance(a: number, b: number): number {
  return a === b ? 0 : a - b
}

/** How far each value's neighbours are from each other, summed over the objectives; infinite at the ends. */
export function crowdingDistances(values: readonly Value[], objectives: number): number[] {
  const distances = values.map(() => 0)
  for (let index = 0; index < objectives; index++) {
    const numberAt = (place: number | undefined): number => values[place ?? -1]?.[index] ?? 0
    const order = values.map((_, place) => place).sort((a, b) => numberAt(a) - numberAt(b) || a - b)
    const span = numberAt(order.at(-1)) - numberAt(order[0])
    if (span === 0) continue
    for (const [position, place] of order.entries()) {
      const isEnd = position === 0 || position === order.length - 1
      const width = isEnd
        ? Number.POSITIVE_INFINITY
        : numberAt(order[position + 1]) - numberAt(order[position - 1])
      distances[place] = (distances[place] ?? 0) + width / span
    }
  }
  return distances
}
