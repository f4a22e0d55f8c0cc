import type { Rng } from '../../src/core/rng.ts'
import type { Pair } from './task.ts'

/** A standard normal number (Box–Muller). */
export function normal(rng: Rng): number {
  return Math.sqrt(-2 * Math.log(1 - rng.unit())) * Math.cos(2 * Math.PI * rng.unit())
}

/** A step with heavy tails: mostly small, now and then large. Bounded, so that no sum overflows. */
export function heavyStep(rng: Rng): number {
  const cauchy = Math.tan(Math.PI * (rng.unit() - 0.5))
  return Math.min(50, Math.max(-50, cauchy))
}

/** A step whose size is uncertain too: from a hundredth to 1, then heavy-tailed. */
export function step(rng: Rng): number {
  return 10 ** (-2 * rng.unit()) * heavyStep(rng)
}

/** The element at an index that is known to be in range. */
export function at(items: readonly number[], index: number): number {
  const item = items[index]
  if (item === undefined) throw new RangeError(`at: there is no element ${index}`)
  return item
}

/** Changes `count` random elements. */
export function changeSome<T>(
  items: readonly T[],
  count: number,
  rng: Rng,
  change: (item: T, index: number) => T,
): T[] {
  const copy = [...items]
  for (let turn = 0; turn < count; turn++) {
    const index = rng.int(copy.length)
    const item = copy[index]
    if (item !== undefined) copy[index] = change(item, index)
  }
  return copy
}

/**
 * Both changes together, as in a three-way merge: what the donor changed since their common ancestor is added to our own
 * changes. Not all of it fits.
 */
export function merge<T>(own: readonly T[], { donor, base }: Pair<readonly T[]>, rng: Rng): T[] {
  return own.map((item, index) => {
    const given = donor[index] ?? item
    const [isTheirs, isOurs] = [given !== base[index], item !== base[index]]
    return isTheirs && rng.unit() < (isOurs ? 0.5 : 0.85) ? given : item
  })
}

/** A fixed sequence of numbers in [0, 1) for building a task: the same for every seed of the benchmark. */
export function fixedNumbers(count: number, salt: number): number[] {
  let state = (salt * 2654435761 + 12345) >>> 0
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    let mixed = state ^ (state >>> 15)
    mixed = Math.imul(mixed, 0x2c1b3c6d) >>> 0
    mixed ^= mixed >>> 12
    return (mixed >>> 0) / 2 ** 32
  })
}
