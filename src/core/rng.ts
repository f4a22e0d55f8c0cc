import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64'
import { uniformInt } from 'pure-rand/distribution/uniformInt'
import { xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus'
import { hashText } from './hash.ts'

/** A random number generator. Random code takes one as an argument, so that runs can be replayed. */
export interface Rng {
  /** An integer in [0, below). `below` must be at least 1. */
  int(below: number): number
  /** A number in [0, 1). */
  unit(): number
}

/**
 * The generator of one candidate. It depends on the campaign's seed, the candidate's ordinal and a purpose, never on
 * earlier draws: a retry or a restart draws the same numbers again.
 */
export function rngFor(seed: number, ordinal: number, purpose: string): Rng {
  const generator = xoroshiro128plusFromState(hashToState(`${seed}/${ordinal}/${purpose}`))
  return {
    int: (below) => uniformInt(generator, 0, below - 1),
    unit: () => uniformFloat64(generator),
  }
}

/** A random element, each equally likely. The list must not be empty. */
export function pick<T>(items: readonly T[], rng: Rng): T {
  const item = items[rng.int(items.length)]
  if (item === undefined) throw new RangeError('pick: the list is empty')
  return item
}

/** A random index with probability proportional to its weight; uniform if no weight is positive. */
export function pickWeighted(weights: readonly number[], rng: Rng): number {
  const total = weights.reduce((sum, weight) => sum + Math.max(0, weight), 0)
  if (total <= 0) return rng.int(weights.length)
  let left = rng.unit() * total
  for (const [index, weight] of weights.entries()) {
    left -= Math.max(0, weight)
    if (left < 0) return index
  }
  return weights.length - 1
}

/** A shuffled copy (Fisher–Yates). */
export function shuffled<T>(items: readonly T[], rng: Rng): T[] {
  const copy = [...items]
  for (let last = copy.length - 1; last > 0; last--) {
    const other = rng.int(last + 1)
    const a = copy[last]
    const b = copy[other]
    if (a === undefined || b === undefined) continue
    copy[last] = b
    copy[other] = a
  }
  return copy
}

const STATE_OFFSETS = [0x811c9dc5, 0x01000193, 0x9e3779b9, 0x85ebca6b]

function hashToState(text: string): number[] {
  return STATE_OFFSETS.map((offset) => hashText(text, offset))
}
