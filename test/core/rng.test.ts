import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pick, pickWeighted, rngFor, shuffled } from '../../src/core/rng.ts'

const drawOf = (seed: number, ordinal: number, purpose: string): number[] => {
  const rng = rngFor(seed, ordinal, purpose)
  return [rng.unit(), rng.unit(), rng.int(1000), rng.int(2 ** 31)]
}

describe('rngFor', () => {
  // A stored campaign is replayed from its seed: another library or another hash must not pass unseen.
  it.each([
    [1, 1, 'plan', [0.8827427047624, 0.5765533543453373, 552, 968950922]],
    [1, 2, 'plan', [0.7689945008331595, 0.5153404545020236, 259, 1379559312]],
    [2, 1, 'plan', [0.7651581324407888, 0.08655752066285716, 39, 977372285]],
    [1, 1, 'agent', [0.7304504051435394, 0.0619287257288158, 105, 1472879102]],
  ] as const)('draws the numbers it always drew for %d, %d, %s', (seed, ordinal, purpose, numbers) => {
    expect(drawOf(seed, ordinal, purpose)).toEqual(numbers)
  })

  it('draws the same numbers for the same seed, ordinal and purpose, and others for others', () => {
    const key = fc.tuple(fc.nat(), fc.nat(100_000), fc.constantFrom('plan', 'agent', 'world'))
    fc.assert(
      fc.property(key, key, (a, b) => {
        expect(drawOf(...a)).toEqual(drawOf(...a))
        if (`${a}` !== `${b}`) expect(drawOf(...a)).not.toEqual(drawOf(...b))
      }),
      { seed: 7, numRuns: 200 },
    )
  })

  it('rngFor does not mix up a seed and an ordinal whose digits run together', () => {
    expect(drawOf(1, 12, 'plan')).not.toEqual(drawOf(11, 2, 'plan'))
  })

  it('spreads the first draws of neighbouring ordinals evenly', () => {
    const counts = Array.from({ length: 10 }, () => 0)
    for (let ordinal = 0; ordinal < 5000; ordinal++) {
      const tenth = Math.floor(rngFor(1, ordinal, 'plan').unit() * 10)
      counts[tenth] = (counts[tenth] ?? 0) + 1
    }
    expect(Math.min(...counts)).toBeGreaterThan(400)
    expect(Math.max(...counts)).toBeLessThan(600)
  })

  it('keeps to its ranges', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 2 ** 31 }), (ordinal, below) => {
        const rng = rngFor(3, ordinal, 'range')
        const number = rng.int(below)
        expect(Number.isInteger(number) && number >= 0 && number < below).toBe(true)
        const unit = rng.unit()
        expect(unit >= 0 && unit < 1).toBe(true)
      }),
      { seed: 8, numRuns: 200 },
    )
  })
})

describe('drawing from lists', () => {
  it('draws in proportion to the weights, and never one without weight', () => {
    const counts = [0, 0, 0, 0]
    const rng = rngFor(1, 1, 'weights')
    for (let draw = 0; draw < 4000; draw++) {
      const index = pickWeighted([1, 0, 3, -5], rng)
      counts[index] = (counts[index] ?? 0) + 1
    }
    expect([counts[1], counts[3]]).toEqual([0, 0])
    expect((counts[2] ?? 0) / (counts[0] ?? 1)).toBeCloseTo(3, 0)
  })

  it('draws evenly when no weight is positive', () => {
    const rng = rngFor(1, 1, 'zero')
    const seen = new Set(Array.from({ length: 100 }, () => pickWeighted([0, 0, 0], rng)))
    expect([...seen].sort()).toEqual([0, 1, 2])
  })

  it('shuffles a copy with the same elements', () => {
    const deck = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    const mixed = shuffled(deck, rngFor(7, 3, 'deck'))
    expect(mixed).toEqual([7, 4, 2, 1, 5, 9, 6, 3, 0, 8])
    expect(deck).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  })

  it('refuses to pick from nothing', () => {
    expect(() => pick([], rngFor(1, 1, 'none'))).toThrow(RangeError)
  })
})
