import { describe, expect, it } from 'vitest'
import type { Objective } from '../../../src/core/measuring/objective.ts'
import {
  addBreeder,
  type Breeder,
  type Breeding,
  drawDonor,
  NO_BREEDING,
  noteCrossed,
  noteYield,
  removeBreeder,
  updateBreeder,
  weighOperators,
} from '../../../src/core/planning/breeding.ts'
import { OPERATOR_WEIGHTS } from '../../../src/core/planning/operators.ts'
import { rngFor } from '../../../src/core/rng.ts'

const objectives: readonly Objective[] = [{ metric: 'score', direction: 'maximize' }]

/** Adds a candidate with a value, bred from another one. */
function bred(
  breeding: Breeding,
  ordinal: number,
  value: number,
  parent?: number,
  margin?: number,
): Breeding {
  const interval = margin === undefined ? undefined : { low: [value - margin], high: [value + margin] }
  const measured = { ordinal, commit: `${ordinal}`, tree: `${ordinal}`, value: [value], interval }
  return addBreeder(breeding, measured, {
    parent: breeding.pool.find((each) => each.ordinal === parent),
    objectives,
  })
}

function breederOf({ pool }: Breeding, ordinal: number): Breeder {
  const found = pool.find((each) => each.ordinal === ordinal)
  if (found === undefined) throw new RangeError(`no breeder ${ordinal}`)
  return found
}

function donorsOf(breeding: Breeding, head: number, draws = 50): (number | undefined)[] {
  const drawn = Array.from({ length: draws }, (_, seed) =>
    drawDonor(breeding, breederOf(breeding, head), breeding.pool, objectives, rngFor(seed, 1, 'test')),
  )
  return [...new Set(drawn.map((donor) => donor?.ordinal))].sort()
}

const root = bred(NO_BREEDING, 0, 10)

describe('breeders', () => {
  it('the best estimate comes first, and the older one on a tie', () => {
    const { pool } = bred(bred(bred(root, 1, 12, 0), 2, 15, 0), 3, 15, 0)
    expect(pool.map(({ ordinal }) => ordinal)).toEqual([2, 3, 1, 0])
  })

  it('only a gain beyond the noise makes a donor', () => {
    const breeding = bred(bred(bred(root, 1, 10.1, 0, 1), 2, 11, 0, 1), 3, 9, 0)
    expect(breeding.pool.filter(({ gain }) => gain !== undefined).map(({ ordinal }) => ordinal)).toEqual([2])
  })

  it('a new measurement replaces the figures and may end the lead', () => {
    const before = bred(bred(root, 1, 12, 0), 2, 15, 0)
    const after = updateBreeder(before, 2, { value: [11] }, objectives)
    expect(after.pool.map(({ ordinal }) => ordinal)).toEqual([1, 2, 0])
    expect(removeBreeder(after, 1).pool.map(({ ordinal }) => ordinal)).toEqual([2, 0])
  })

  it('stays bounded over a long search and names only kept ancestors', () => {
    let breeding = root
    for (let ordinal = 1; ordinal < 500; ordinal++)
      breeding = noteCrossed(bred(breeding, ordinal, 10 + ordinal / 100, ordinal - 1), ordinal, ordinal - 1)
    expect(breeding.pool.length).toBeLessThanOrEqual(40)
    expect(breeding.crossed.length).toBeLessThanOrEqual(128)
    const kept = new Set(breeding.pool.map(({ ordinal }) => ordinal))
    expect(breeding.pool.flatMap(({ line }) => line).every((ordinal) => kept.has(ordinal))).toBe(true)
  })
})

describe('donors', () => {
  // 1 and 2 come from the root; 3 is a child of 2, 4 of 3.
  const family = bred(bred(bred(bred(root, 1, 12, 0), 2, 13, 0), 3, 14, 2), 4, 15, 3)

  it('donors come from outside the line of the parent', () => {
    expect(donorsOf(family, 4)).toEqual([1])
    expect(donorsOf(family, 2)).toEqual([1])
    expect(donorsOf(family, 1)).toEqual([2, 3, 4])
  })

  it('a donor is crossed with the same parent once', () => {
    expect(donorsOf(noteCrossed(family, 4, 1), 4)).toEqual([undefined])
    expect(donorsOf(noteCrossed(family, 3, 1), 4)).toEqual([1])
  })

  it('a larger gain and a smaller distance to the parent are preferred', () => {
    const wide = bred(bred(bred(root, 1, 10.5, 0), 2, 14, 0), 5, 15, 0)
    const drawn = Array.from({ length: 300 }, (_, seed) =>
      drawDonor(wide, breederOf(wide, 5), wide.pool, objectives, rngFor(seed, 1, 'test')),
    )
    const times = (ordinal: number): number => drawn.filter((donor) => donor?.ordinal === ordinal).length
    expect(times(2)).toBeGreaterThan(2 * times(1))
  })
})

describe('operator weights', () => {
  it('weights follow what the operators brought, within bounds', () => {
    let breeding: Breeding = { ...NO_BREEDING, typicalGain: 0.1 }
    expect(weighOperators(breeding, OPERATOR_WEIGHTS)).toEqual(OPERATOR_WEIGHTS)
    for (let turn = 0; turn < 100; turn++)
      breeding = noteYield(noteYield(breeding, 'mutate', 0), 'structural', 0.1)
    const { mutate, structural, repair } = weighOperators(breeding, OPERATOR_WEIGHTS)
    expect(mutate).toBeLessThan(OPERATOR_WEIGHTS.mutate / 2)
    expect(mutate).toBeGreaterThanOrEqual(OPERATOR_WEIGHTS.mutate / 4)
    expect(structural).toBeGreaterThan(1.5 * OPERATOR_WEIGHTS.structural)
    expect(repair).toBe(OPERATOR_WEIGHTS.repair)
  })

  it('one huge gain does not decide', () => {
    const modest = noteYield({ ...NO_BREEDING, typicalGain: 0.1 }, 'mutate', 0.4)
    const huge = noteYield({ ...NO_BREEDING, typicalGain: 0.1 }, 'mutate', 400)
    expect(huge).toEqual(modest)
  })
})
