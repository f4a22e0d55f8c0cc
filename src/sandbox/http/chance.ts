import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64'
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'

/** Seeded randomness for faults: the same requests in the same order get the same faults. */
export class Chance {
  #draw: () => number

  constructor(seed: number) {
    this.#draw = drawer(seed)
  }

  reseed(seed: number): void {
    this.#draw = drawer(seed)
  }

  /** True with this probability. Draws nothing for 0, so that unused faults do not shift the others. */
  happens(probability: number): boolean {
    return probability > 0 && this.#draw() < probability
  }

  between(least: number, most: number): number {
    return most <= least ? least : least + this.#draw() * (most - least)
  }
}

function drawer(seed: number): () => number {
  const generator = xoroshiro128plus(seed)
  return () => uniformFloat64(generator)
}
