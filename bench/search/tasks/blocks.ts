import type { Rng } from '../../../src/core/rng.ts'
import { changeSome, merge } from '../draws.ts'
import type { Task } from '../task.ts'

type Bits = readonly number[]

const BLOCK = 4
const SMALL_BLOCK = 3

/** Deceptive blocks: each bit that is set costs something until all four of a block are set. */
export const trap: Task<Bits> = {
  name: 'deceptive-trap',
  direction: 'maximize',
  noise: 0.01,
  broken: 0.3,
  reference: 2,
  ...blocks(8, BLOCK, (set) => (set === BLOCK ? 1 : (0.4 * (BLOCK - 1 - set)) / (BLOCK - 1))),
}

/** Plateaus: a block of bits pays only when it is complete; before that nothing tells that a change was right. */
export const plateau: Task<Bits> = {
  name: 'plateau',
  direction: 'maximize',
  noise: 0,
  broken: 0.35,
  reference: 2,
  ...blocks(10, SMALL_BLOCK, (set) => (set === SMALL_BLOCK ? 1 : 0)),
}

type Blocks = Pick<Task<Bits>, 'root' | 'measure' | 'mutate' | 'restructure' | 'cross' | 'features'>

// The value is 1 at the root and 2 when every block is complete.
function blocks(count: number, size: number, worth: (set: number) => number): Blocks {
  const root = Array.from({ length: count * size }, () => 0)
  const flip = (bits: Bits, most: number, rng: Rng): number[] =>
    changeSome(bits, 1 + rng.int(most), rng, (bit) => 1 - bit)
  // An agent's larger change concerns one part: it rewrites a block.
  const rewrite = (bits: Bits, rng: Rng): number[] => {
    const block = rng.int(count)
    return bits.map((bit, index) => (Math.floor(index / size) === block ? rng.int(2) : bit))
  }
  const setIn = (bits: Bits, block: number): number =>
    bits.slice(block * size, (block + 1) * size).reduce((sum, bit) => sum + bit, 0)
  return {
    root,
    measure: (bits) => {
      const sum = Array.from({ length: count }, (_, block) => worth(setIn(bits, block))).reduce(
        (a, b) => a + b,
        0,
      )
      return 1 + (sum / count - worth(0)) / (1 - worth(0))
    },
    mutate: (bits, rng) => flip(bits, 2, rng),
    restructure: rewrite,
    cross: merge,
    features: (bits) => bits,
  }
}
