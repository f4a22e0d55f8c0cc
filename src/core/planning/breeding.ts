import type { IslandId } from '../archive/islands.ts'
import type { ValueInterval } from '../measuring/measurement.ts'
import { compareValues, type Objective, type Value } from '../measuring/objective.ts'
import { pickWeighted, type Rng } from '../rng.ts'
import type { Operator, OperatorWeights } from './operators.ts'

/** A measured candidate that others may be bred from, with a cell or without. */
export interface Breeder {
  readonly ordinal: number
  readonly commit: string
  readonly tree: string
  readonly island?: IslandId | undefined
  /** Its latest point estimate. */
  readonly value: Value
  readonly interval?: ValueInterval | undefined
  /** Its gain over its own parent on the first objective, if that exceeds the noise: only such a candidate is a donor. */
  readonly gain?: number | undefined
  /** Its ancestors among the breeders. */
  readonly line: readonly number[]
}

/** What the policy `adaptive` remembers. Bounded, because every tick rewrites it. */
export interface Breeding {
  /** Best first. */
  readonly pool: readonly Breeder[]
  /** Pairs that were crossed, as `parent:donor`, newest last. */
  readonly crossed: readonly string[]
  /** The decayed mean of the gains of candidates that beat their parents. */
  readonly typicalGain: number
  /** What each operator brought lately. */
  readonly yields: Readonly<Partial<Record<Operator, Yield>>>
}

/** Discounted sums over the candidates of an operator. */
interface Yield {
  readonly tries: number
  /** Gains over the parent beyond the noise, in typical gains. */
  readonly gain: number
}

export const NO_BREEDING: Breeding = { pool: [], crossed: [], typicalGain: 0, yields: {} }

const HEADS_KEPT = 8
const DONORS_KEPT = 32
const PAIRS_KEPT = 128
const DECAY = 0.9
// A gain counts as more than noise from a fifth of its interval on, or from 5 %. This only decides who may be a donor, so
// it may be wrong more often than a verdict.
const NOISE_SHARE = 0.2
const MOST_NOISE = 0.05

/** Adds a measured candidate. Without a known parent it can become the head, but not a donor. */
export function addBreeder(
  breeding: Breeding,
  measured: Omit<Breeder, 'gain' | 'line'>,
  {
    parent,
    objectives,
  }: { readonly parent?: Breeder | undefined; readonly objectives: readonly Objective[] },
): Breeding {
  const gain = findGain(measured, parent, objectives)
  const line = parent ? [...parent.line, parent.ordinal] : []
  const breeder = { ...measured, line, ...(gain !== undefined && { gain }) }
  const typicalGain = gain === undefined ? breeding.typicalGain : decayed(breeding.typicalGain, gain)
  return { ...breeding, typicalGain, pool: keepBest([...breeding.pool, breeder], objectives) }
}

/** A candidate's gain over its parent, if that exceeds the noise. */
export function findGain(
  measured: Pick<Breeder, 'value' | 'interval'>,
  parent: Pick<Breeder, 'value'> | undefined,
  objectives: readonly Objective[],
): number | undefined {
  const gain = parent && logGain(measured.value, parent.value, objectives)
  return gain !== undefined && gain > noiseOf(measured, objectives) ? gain : undefined
}

/** Replaces the figures of a breeder that was measured again. */
export function updateBreeder(
  breeding: Breeding,
  ordinal: number,
  figures: Pick<Breeder, 'value' | 'interval'>,
  objectives: readonly Objective[],
): Breeding {
  if (!breeding.pool.some((breeder) => breeder.ordinal === ordinal)) return breeding
  const pool = breeding.pool.map((breeder) =>
    breeder.ordinal === ordinal ? { ...breeder, ...figures } : breeder,
  )
  return { ...breeding, pool: keepBest(pool, objectives) }
}

const DISCOUNT = 0.98
// One lucky find must not decide.
const MOST_YIELD = 4
const PRIOR_TRIES = 12
const MOST_FACTOR = 4

/** Counts what a candidate brought; 0 if it failed. */
export function noteYield(breeding: Breeding, operator: Operator, gain: number): Breeding {
  const entries = Object.entries(breeding.yields).map(([name, { tries, gain: sum }]) => {
    return [name, { tries: DISCOUNT * tries, gain: DISCOUNT * sum }] as const
  })
  const yields: Breeding['yields'] = Object.fromEntries(entries)
  const { tries, gain: sum } = yields[operator] ?? { tries: 0, gain: 0 }
  const typical = Math.max(breeding.typicalGain, Number.MIN_VALUE)
  const brought = Math.min(MOST_YIELD, Math.max(0, gain) / typical)
  return { ...breeding, yields: { ...yields, [operator]: { tries: tries + 1, gain: sum + brought } } }
}

/** The weights of the operators, moved towards those that brought most. */
export function weighOperators({ yields }: Breeding, weights: OperatorWeights): OperatorWeights {
  const all = Object.values(yields)
  const tries = all.reduce((sum, each) => sum + each.tries, 0)
  const mean = all.reduce((sum, each) => sum + each.gain, 0) / Math.max(1, tries)
  if (mean <= 0) return weights
  const factorOf = (operator: Operator): number => {
    const own = yields[operator] ?? { tries: 0, gain: 0 }
    const rate = (own.gain + PRIOR_TRIES * mean) / (own.tries + PRIOR_TRIES)
    return Math.min(MOST_FACTOR, Math.max(1 / MOST_FACTOR, rate / mean))
  }
  return {
    mutate: weights.mutate * factorOf('mutate'),
    crossover: weights.crossover * factorOf('crossover'),
    fresh: weights.fresh,
    structural: weights.structural * factorOf('structural'),
    repair: weights.repair,
  }
}

/** Removes a breeder: it was overfitted, or failed when it was measured again. */
export function removeBreeder(breeding: Breeding, ordinal: number): Breeding {
  return { ...breeding, pool: breeding.pool.filter((breeder) => breeder.ordinal !== ordinal) }
}

/** Remembers that two breeders were crossed. */
export function noteCrossed(breeding: Breeding, parent: number, donor: number): Breeding {
  return { ...breeding, crossed: [...breeding.crossed, pairOf(parent, donor)].slice(-PAIRS_KEPT) }
}

/**
 * Draws a donor for a crossover with the head: one that beat its own parent, outside the head's line, not crossed with it
 * before. Weight = √gain · exp(−distance ∕ (2 · typical gain)): a donor far behind the head has less to give.
 */
export function drawDonor(
  { crossed, typicalGain }: Breeding,
  head: Breeder,
  donors: readonly Breeder[],
  objectives: readonly Objective[],
  rng: Rng,
): Breeder | undefined {
  const outside = donors.filter(
    ({ ordinal, line }) =>
      ordinal !== head.ordinal &&
      !head.line.includes(ordinal) &&
      !line.includes(head.ordinal) &&
      !crossed.includes(pairOf(head.ordinal, ordinal)),
  )
  const weights = outside.map(({ gain, value }) => {
    if (gain === undefined) return 0
    const behind = Math.max(0, logGain(head.value, value, objectives))
    return Math.sqrt(gain) * Math.exp(-behind / (2 * Math.max(typicalGain, Number.MIN_VALUE)))
  })
  return weights.some((weight) => weight > 0) ? outside[pickWeighted(weights, rng)] : undefined
}

/** How much better `a` is than `b` on the first objective: a logarithm of ratios if both are positive. */
export function logGain(a: Value, b: Value, objectives: readonly Objective[]): number {
  const [x = Number.NaN] = a
  const [y = Number.NaN] = b
  const difference = x > 0 && y > 0 ? Math.log(x / y) : x - y
  return objectives[0]?.direction === 'minimize' ? -difference : difference
}

function noiseOf({ interval }: Pick<Breeder, 'interval'>, objectives: readonly Objective[]): number {
  if (interval === undefined) return 0
  return Math.min(MOST_NOISE, NOISE_SHARE * Math.abs(logGain(interval.high, interval.low, objectives)))
}

function decayed(mean: number, gain: number): number {
  return mean === 0 ? gain : DECAY * mean + (1 - DECAY) * gain
}

function pairOf(parent: number, donor: number): string {
  return `${parent}:${donor}`
}

// The best may become the head; donors need a gain of their own. Ties keep the older one first.
function keepBest(all: readonly Breeder[], objectives: readonly Objective[]): readonly Breeder[] {
  const ranked = [...all].sort((a, b) => compareValues(b.value, a.value, objectives) || a.ordinal - b.ordinal)
  const donors = new Set(ranked.filter(({ gain }) => gain !== undefined).slice(0, DONORS_KEPT))
  const kept = ranked.filter((breeder, index) => index < HEADS_KEPT || donors.has(breeder))
  const ordinals = new Set(kept.map(({ ordinal }) => ordinal))
  return kept.map((breeder) => ({ ...breeder, line: breeder.line.filter((each) => ordinals.has(each)) }))
}
