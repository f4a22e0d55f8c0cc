import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findBest, measureArchive } from '../../../src/core/archive/archive.ts'
import { anArchive, anElite, LESS_TIME, MORE_SCORE } from '../../support/builders.ts'

describe('findBest', () => {
  it('findBest returns undefined for an empty archive', () => {
    expect(findBest(anArchive(), [MORE_SCORE])).toBeUndefined()
  })

  it('takes the best over all cells, in the direction of the objective', () => {
    const elites = [3, 1, 2].map((time, ordinal) =>
      anElite({ ordinal, value: [time], descriptor: [ordinal / 4, 0] }),
    )
    expect(findBest(anArchive(elites, [LESS_TIME]), [LESS_TIME])?.ordinal).toBe(1)
    expect(findBest(anArchive(elites), [MORE_SCORE])?.ordinal).toBe(0)
  })

  it('takes the older of equals, wherever their cells are', () => {
    const young = anElite({ ordinal: 7, descriptor: [0, 0] })
    const old = anElite({ ordinal: 4, descriptor: [1, 1] })
    expect(findBest(anArchive([young, old]), [MORE_SCORE])?.ordinal).toBe(4)
  })
})

describe('measureArchive', () => {
  it('counts coverage, and gains on the baseline only', () => {
    const elites = [5, 12, 14].map((score, ordinal) =>
      anElite({ ordinal, value: [score], descriptor: [ordinal / 4, 0] }),
    )
    expect(measureArchive(anArchive(elites), [MORE_SCORE], [10])).toEqual({
      elites: 3,
      cells: 3,
      coverage: 3 / 16,
      qdScore: 6,
    })
  })

  it('measureArchive returns zeros for an empty archive', () => {
    expect(measureArchive(anArchive(), [MORE_SCORE], [10])).toEqual({
      elites: 0,
      cells: 0,
      coverage: 0,
      qdScore: 0,
    })
  })

  it('coverage and QD score never fall when a candidate is added', () => {
    const unit = fc.double({ min: 0, max: 1, noNaN: true })
    const value = fc.tuple(fc.integer({ min: -9, max: 9 }), fc.integer({ min: -9, max: 9 }))
    const asked = fc.array(fc.tuple(unit, unit, value), { maxLength: 30 })
    fc.assert(
      fc.property(asked, fc.boolean(), (candidates, maximise) => {
        const objectives = maximise ? [MORE_SCORE, LESS_TIME] : [LESS_TIME, MORE_SCORE]
        const archive = anArchive([], objectives)
        let before = measureArchive(archive, objectives, [0, 0])
        for (const [ordinal, [x, y, numbers]] of candidates.entries()) {
          archive.add(anElite({ ordinal, descriptor: [x, y], value: numbers }))
          const after = measureArchive(archive, objectives, [0, 0])
          expect(after.qdScore).toBeGreaterThanOrEqual(before.qdScore)
          expect(after.coverage).toBeGreaterThanOrEqual(before.coverage)
          before = after
        }
      }),
      { seed: 6, numRuns: 100 },
    )
  })
})
