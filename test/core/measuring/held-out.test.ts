import { describe, expect, it } from 'vitest'
import { isOverfitted, readHeldOut } from '../../../src/core/measuring/held-out.ts'
import type { Sample } from '../../../src/core/measuring/measurement.ts'
import { type Rng, rngFor } from '../../../src/core/rng.ts'
import { LESS_TIME, MORE_SCORE } from '../../support/builders.ts'

const NOISE = 0.03
const CONFIRMATIONS = 1000

function normal(rng: Rng): number {
  return Math.sqrt(-2 * Math.log(1 - rng.unit())) * Math.cos(2 * Math.PI * rng.unit())
}

/** Twenty pairs on held-out inputs, as a confirmation makes them at the default settings. */
function heldOutPairs(metric: string, factor: number, run: () => number): Sample[] {
  const sample = (subject: Sample['subject'], value: number): Sample => ({
    subject,
    stage: 'held-out',
    metrics: { [metric]: value },
  })
  return Array.from({ length: 20 }, () => [
    sample('root', 100 * run()),
    sample('candidate', 100 * factor * run()),
  ]).flat()
}

/** How often a candidate with these true gains is called overfitted. */
function rateOf(shown: number, heldOut: number): number {
  const rng = rngFor(8, Math.round(1000 * shown), `held-out ${heldOut}`)
  let called = 0
  for (let count = 0; count < CONFIRMATIONS; count++) {
    const samples = heldOutPairs('score', 1 + heldOut, () => 1 + NOISE * normal(rng))
    const read = readHeldOut(samples, MORE_SCORE, { candidate: 1 + shown, root: 1 })
    if (read !== undefined && isOverfitted(read)) called++
  }
  return called / CONFIRMATIONS
}

describe('the gain on held-out inputs, where runs differ by 3 %', () => {
  it.each([0.02, 0.03, 0.05, 0.1])(
    'a full gain of %d is almost never called overfitted at 3 % noise',
    (gain) => {
      expect(rateOf(gain, gain)).toBeLessThanOrEqual(0.01)
    },
  )

  it.each([0.02, 0.05, 0.2])(
    'half of a gain of %d on held-out inputs is not called overfitted at 3 % noise',
    (gain) => {
      expect(rateOf(gain, gain / 2)).toBeLessThanOrEqual(0.05)
    },
  )

  it('a large gain that vanishes on held-out inputs is called overfitted at 3 % noise', () => {
    expect(rateOf(0.15, 0)).toBeGreaterThanOrEqual(0.95)
    expect(rateOf(0.3, 0)).toBe(1)
  })
})

describe('readHeldOut', () => {
  it('knows the most that the gain may be, also where less is better', () => {
    const run = [1, 1.02, 0.98, 1.01, 0.99]
    let count = 0
    const samples = heldOutPairs('time', 0.9, () => run[count++ % 5] ?? 1)
    const { gain = 0, most = 0 } = readHeldOut(samples, LESS_TIME, { candidate: 0.9, root: 1 }) ?? {}
    expect(gain).toBeCloseTo(0.1, 1)
    expect(most).toBeGreaterThan(gain)
  })

  it.each([
    { what: 'shown', root: 0, heldOutRoot: 4 },
    { what: 'held-out', root: 4, heldOutRoot: 0 },
    { what: 'all', root: 0, heldOutRoot: 0 },
  ])('counts in the metric’s own unit where the root gives 0 on $what inputs', ({ root, heldOutRoot }) => {
    const sample = (subject: Sample['subject'], score: number): Sample => ({
      subject,
      stage: 'held-out',
      metrics: { score },
    })
    const read = (gain: number) =>
      readHeldOut([sample('root', heldOutRoot), sample('candidate', heldOutRoot + gain)], MORE_SCORE, {
        candidate: root + 10,
        root,
      })
    expect(read(0)).toEqual({ gain: 0, shown: 10, most: 0, absolute: true })
    expect([0, 2, 9].map((gain) => isOverfitted(read(gain) ?? { gain: 0, shown: 0 }))).toEqual([
      true,
      true,
      false,
    ])
  })

  it('readHeldOut is exact for a single pair of a deterministic evaluator', () => {
    const [root, candidate] = heldOutPairs('score', 1.5, () => 1)
    const read = readHeldOut(root && candidate ? [root, candidate] : [], MORE_SCORE, {
      candidate: 1.5,
      root: 1,
    })
    expect(read?.gain).toBeCloseTo(0.5, 10)
    expect(read?.most).toBe(read?.gain)
  })
})
