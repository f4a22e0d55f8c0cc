import type { Rng } from '../../../src/core/rng.ts'
import { at } from '../draws.ts'
import type { Task } from '../task.ts'

type Swap = readonly [low: number, high: number]

const WIRES = 8
const PASS = Array.from({ length: WIRES - 1 }, (_, index): Swap => [index, index + 1])
// Bubble sort that always makes full passes, as a beginner writes it.
const BUBBLE: readonly Swap[] = PASS.flatMap(() => PASS)

/**
 * A program that sorts eight numbers, measured in counted operations: compare-and-swap steps, and a little for every step
 * that has to wait for the one before. It is invalid unless it sorts every input.
 */
export const sorting: Task<readonly Swap[]> = {
  name: 'counted-operations',
  direction: 'minimize',
  noise: 0,
  broken: 0.1,
  reference: 26 + 0.5 * 10,
  root: BUBBLE,
  measure: (swaps) => (sortsAll(swaps) ? swaps.length + 0.5 * depthOf(swaps) : undefined),
  mutate: (swaps, rng) => {
    const index = rng.int(swaps.length)
    const luck = rng.unit()
    if (luck < 0.45) return swaps.toSpliced(index, 1)
    if (luck < 0.75)
      return swaps.toSpliced(index, 1).toSpliced(rng.int(swaps.length), 0, swaps[index] ?? [0, 1])
    return swaps.toSpliced(index, luck < 0.9 ? 1 : 0, drawSwap(rng))
  },
  restructure: (swaps, rng) => {
    const index = rng.int(swaps.length)
    return swaps.toSpliced(index, 2).toSpliced(rng.int(swaps.length - 1), 0, drawSwap(rng))
  },
  cross: (swaps, { donor }, rng) => {
    const cut = rng.int(Math.min(swaps.length, donor.length))
    return [...donor.slice(0, cut), ...swaps.slice(cut)]
  },
  features: (swaps) => [
    swaps.length / 10,
    depthOf(swaps) / 6,
    ...Array.from({ length: 6 }, (_, by) => swaps.filter(([a, b]) => b - a === by + 1).length / 10),
  ],
}

function drawSwap(rng: Rng): Swap {
  const a = rng.int(WIRES)
  const b = (a + 1 + rng.int(WIRES - 1)) % WIRES
  return a < b ? [a, b] : [b, a]
}

// By the 0-1 principle: a network that sorts all sequences of zeros and ones sorts everything.
function sortsAll(swaps: readonly Swap[]): boolean {
  for (let input = 0; input < 1 << WIRES; input++) {
    let bits = input
    for (const [low, high] of swaps) {
      const isSwapped = (bits >> low) & 1 && !((bits >> high) & 1)
      if (isSwapped) bits ^= (1 << low) | (1 << high)
    }
    // Sorted: all ones at the top.
    const ones = bits.toString(2).replaceAll('0', '').length
    if (bits !== ((1 << ones) - 1) << (WIRES - ones)) return false
  }
  return true
}

function depthOf(swaps: readonly Swap[]): number {
  const depths = Array.from({ length: WIRES }, () => 0)
  for (const [low, high] of swaps) {
    const depth = 1 + Math.max(at(depths, low), at(depths, high))
    depths[low] = depth
    depths[high] = depth
  }
  return Math.max(...depths)
}
