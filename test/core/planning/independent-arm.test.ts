import { describe, expect, it } from 'vitest'
import { compareWithArm, type IndependentArm, noteDraw } from '../../../src/core/planning/independent-arm.ts'
import { rngFor } from '../../../src/core/rng.ts'

/** Draws with exponential gains of mean 0.1; one in three fails. */
function armOf(draws: number, seed: number): IndependentArm {
  const rng = rngFor(seed, 0, 'test')
  let arm = noteDraw(undefined, 0)
  for (let draw = 1; draw < draws; draw++)
    arm = noteDraw(arm, rng.unit() < 1 / 3 ? 0 : -0.1 * Math.log(1 - rng.unit()))
  return arm
}

describe('the independent arm', () => {
  it('says nothing below 20 draws', () => {
    const asked = { best: 1, candidates: 200, seed: 1 }
    expect(compareWithArm(armOf(19, 1), asked)).toBeUndefined()
    expect(compareWithArm(undefined, asked)).toBeUndefined()
    expect(compareWithArm(armOf(20, 1), asked)?.paid).toBe(true)
  })

  it('expects about what as many independent draws reach', () => {
    // The expected maximum of 200 draws, two thirds of them valid: 0.1 · (ln 133 + γ) = 0.547.
    const expected = Array.from({ length: 40 }, (_, seed) => {
      return compareWithArm(armOf(40, seed), { best: 0, candidates: 200, seed: 1 })?.expected ?? 0
    })
    const mean = expected.reduce((sum, each) => sum + each, 0) / expected.length
    expect(mean).toBeGreaterThan(0.45)
    expect(mean).toBeLessThan(0.65)
  })

  it('a search that only drew independently is rarely said to pay', () => {
    const paid = Array.from({ length: 100 }, (_, seed) => {
      const [best = 0] = armOf(200, 1000 + seed).gains
      return compareWithArm(armOf(40, seed), { best, candidates: 200, seed: 1 })?.paid
    }).filter((each) => each === true)
    expect(paid.length).toBeLessThanOrEqual(15)
  })

  it('stays bounded and counts every draw', () => {
    const arm = armOf(500, 1)
    expect([arm.draws, arm.gains.length]).toEqual([500, 64])
  })

  it('the same arm and seed give the same interval', () => {
    const asked = { best: 0.3, candidates: 100, seed: 7 }
    expect(compareWithArm(armOf(30, 2), asked)).toEqual(compareWithArm(armOf(30, 2), asked))
  })
})
