import { compareValues, type Objective, type Value } from '../measuring/objective.ts'
import { type CellRefusal, type Elite, findBest } from './archive.ts'
import { type Estimate, leadOn } from './comparison.ts'

/** The rules of a front: how elites are compared, how many fit, and whom a close call must beat. */
export interface FrontRules {
  readonly objectives: readonly Objective[]
  readonly size: number
  /** Finds the best elite of the island, if any. Only called for close calls, because it scans every elite. */
  readonly findBest: () => Estimate | undefined
}

/** The outcome of offering a candidate to a cell's front. */
export type FrontOutcome =
  | {
      readonly status: 'joined'
      readonly front: readonly Elite[]
      /** Members that it dominates within the noise. */
      readonly replaced: readonly number[]
      /** The member that was evicted because the front was full. */
      readonly dropped?: number | undefined
    }
  | {
      readonly status: 'refused'
      readonly reason: CellRefusal
      readonly holder: number
    }

/**
 * Offers a candidate to a Pareto front. It joins if, for every member, it is better beyond the noise on some objective.
 * It then replaces the members that are not better than it beyond the noise on any objective. One exception: the
 * front's best stays if the candidate is behind it on the first objective. Otherwise a chain of candidates, each only
 * slightly worse, could replace the best step by step.
 * Without noise this is strict Pareto dominance, and ties keep the older elite. A full front evicts the member in its
 * most crowded part (NSGA-II's crowding distance), the youngest of equals, but never its best.
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

/** Whether an elite beats another beyond the noise on some objective and loses beyond the noise on none. */
export function dominates(a: Elite, b: Elite, objectives: readonly Objective[]): boolean {
  const { better, worse } = relate(a, b, { objectives, findBest: () => undefined })
  return better && !worse
}

interface Relation {
  /** Better beyond the noise on some objective. */
  readonly better: boolean
  /** Worse beyond the noise on some objective. */
  readonly worse: boolean
  /** Worse on the first objective, even if only within the noise. */
  readonly isBehind: boolean
  /** The reason to refuse it when it is not better. */
  readonly refusal: CellRefusal
}

function relate(
  elite: Elite,
  member: Elite,
  { objectives, findBest: findIslandBest }: Pick<FrontRules, 'objectives' | 'findBest'>,
): Relation {
  const leads = objectives.map((objective, index) => leadOn(elite, member, objective, index))
  const [first] = objectives
  // Only slightly ahead of the member, but ahead of the overall best beyond the noise, which the member is not.
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

/** Sorted by the first objective, best first; ties put the older elite first. */
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

/** The distance between each value's neighbours, summed over the objectives; infinite at the ends. */
export function crowdingDistances(values: readonly Value[], objectives: number): number[] {
  const distances = values.map(() => 0)
  for (let index = 0; index < objectives; index++) {
    const numberAt = (at: number | undefined): number => values[at ?? -1]?.[index] ?? 0
    const order = values.map((_, at) => at).sort((a, b) => numberAt(a) - numberAt(b) || a - b)
    const span = numberAt(order.at(-1)) - numberAt(order[0])
    if (span === 0) continue
    for (const [position, at] of order.entries()) {
      const isEnd = position === 0 || position === order.length - 1
      const width = isEnd
        ? Number.POSITIVE_INFINITY
        : numberAt(order[position + 1]) - numberAt(order[position - 1])
      distances[at] = (distances[at] ?? 0) + width / span
    }
  }
  return distances
}
