import { describe, expect, it } from 'vitest'
import { normalQuantile } from '../../../../src/core/measuring/stats/normal.ts'
import { decide, leastPairs, looksOf, readPairs } from '../../../../src/core/measuring/stats/sampling.ts'
import { rankSumChances, signedRankInterval } from '../../../../src/core/measuring/stats/signed-rank.ts'
import { rngFor } from '../../../../src/core/rng.ts'

describe('normalQuantile', () => {
  it.each([
    [0.5, 0],
    [0.9, 1.2815515655],
    [0.975, 1.9599639845],
    [0.995, 2.5758293035],
    [0.999, 3.0902323062],
    [0.001, -3.0902323062],
    [0.00001, -4.2648907939],
  ])('gives the tables’ value for %d', (probability, z) => {
    expect(normalQuantile(probability)).toBeCloseTo(z, 6)
  })

  it('refuses what is no probability', () => {
    expect(() => normalQuantile(1)).toThrow(RangeError)
    expect(() => normalQuantile(Number.NaN)).toThrow(RangeError)
  })
})

describe('the signed-rank statistic', () => {
  // Critical values of Wilcoxon's T, one-sided, as every table has them.
  it.each([
    [5, 0.05, 0],
    [8, 0.025, 3],
    [10, 0.025, 8],
    [10, 0.005, 3],
    [12, 0.01, 9],
    [15, 0.025, 25],
    [20, 0.025, 52],
    [20, 0.005, 37],
    [25, 0.05, 100],
  ])('the signed-rank statistic for %d pairs at %d has the critical value %d', (pairs, alpha, critical) => {
    const chances = rankSumChances(pairs)
    expect(chances.filter((chance) => chance <= alpha).length - 1).toBe(critical)
  })

  it('gives the published interval for the depression scores of Hollander and Wolfe', () => {
    const before = [1.83, 0.5, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.3]
    const after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
    const interval = signedRankInterval(
      before.map((value, index) => value - (after[index] ?? 0)),
      0.025,
    )
    expect(interval.estimate).toBeCloseTo(0.46, 10)
    expect(interval.low).toBeCloseTo(0.01, 10)
    expect(interval.high).toBeCloseTo(0.786, 10)
    expect(interval.alpha).toBeCloseTo(0.01953, 5)
  })

  it('moves little when one pair is wild', () => {
    const calm = [0.01, 0.02, -0.01, 0, 0.015, -0.005, 0.01, 0.005, 0, 0.012]
    const wild = calm.with(3, 50)
    expect(signedRankInterval(wild, 0.05).estimate).toBeCloseTo(signedRankInterval(calm, 0.05).estimate, 1)
  })
})

const PLAN = { minPairs: 6, maxPairs: 20, confidence: 0.995 }

describe('the sampling plan', () => {
  it('looks at even numbers of pairs, from the least to the most', () => {
    expect(looksOf(PLAN)).toEqual([6, 10, 16, 20])
    expect(looksOf({ ...PLAN, minPairs: 3, maxPairs: 5 })).toEqual([4, 6])
    expect(looksOf({ ...PLAN, minPairs: 20, maxPairs: 20 })).toEqual([20])
  })

  it.each([0.8, 0.95, 0.993, 0.998, 0.99999])(
    'can say better of a clear gain with the least pairs for %d',
    (confidence) => {
      const most = leastPairs(confidence)
      const clear = (pairs: number): number[] => Array.from({ length: pairs }, (_, index) => 1 + index / 1000)
      const even = 2 * Math.ceil(most / 2)
      expect(decide(clear(even), 0, { minPairs: 2, maxPairs: most, confidence })).toBe('better')
      // With a block less it could not, whatever it measured.
      const fewer = 2 * Math.ceil(most / 2) - 2
      expect(decide(clear(fewer), 0, { minPairs: 2, maxPairs: fewer, confidence })).not.toBe('better')
    },
  )

  it('gives up early on what is far worse, and is sure early of what is far better', () => {
    const spread = (centre: number, pairs: number): number[] =>
      Array.from({ length: pairs }, (_, index) => centre + 0.001 * (index - pairs / 2))
    expect(decide(spread(-0.5, 6), 0, PLAN)).toBe('not-better')
    expect(decide(spread(0.5, 6), 0, PLAN)).toBe('more')
    expect(decide(spread(0.5, 10), 0, PLAN)).toBe('better')
    expect(decide(spread(0.5, 10), 0.5, PLAN)).not.toBe('better')
    expect(decide(spread(0.5, 7), 0, PLAN)).toBe('more')
  })

  it('gives up on nothing before it has the pairs for it', () => {
    const worse = [-0.5, -0.51, -0.52, -0.53, -0.54, -0.55]
    const plan = { ...PLAN, minPairs: 2 }
    expect(decide(worse.slice(0, 2), 0, plan)).toBe('more')
    expect(decide(worse.slice(0, 4), 0, plan)).toBe('more')
    expect(decide(worse, 0, plan)).toBe('not-better')
  })

  it('gives up on a gain that it could still find in no more looks than it may', () => {
    // Four looks at 0.02 each: at most 8 %; a gain of four times what can be told apart is far inside that.
    const rng = rngFor(2, 1, 'giving up')
    const noise = (): number => Math.sqrt(-2 * Math.log(1 - rng.unit())) * Math.cos(2 * Math.PI * rng.unit())
    let lost = 0
    for (let candidate = 0; candidate < 1000; candidate++) {
      const differences: number[] = []
      let decision = decide(differences, 0, PLAN)
      while (decision === 'more') {
        differences.push(1 + noise(), 1 + noise())
        decision = decide(differences, 0, PLAN)
      }
      if (decision === 'not-better') lost++
    }
    expect(lost).toBeLessThanOrEqual(80)
  })

  it('the sampling plan does not give up on a clear gain because of one early outlier', () => {
    const clear = [0.045, 0.05, 0.055, 0.048, 0.052]
    expect(decide([...clear, -0.15], 0, PLAN)).toBe('more')
    expect(decide([...clear.map((gain) => -gain), 0.15], 0, PLAN)).not.toBe('better')
  })

  it('says better of nothing at all no more often than it may', () => {
    const rng = rngFor(1, 1, 'nothing')
    const noise = (): number => Math.tan(Math.PI * (rng.unit() - 0.5))
    let better = 0
    for (let candidate = 0; candidate < 2000; candidate++) {
      const differences: number[] = []
      let decision = decide(differences, 0, PLAN)
      while (decision === 'more') {
        differences.push(noise() - noise(), noise() - noise())
        decision = decide(differences, 0, PLAN)
      }
      if (decision === 'better') better++
    }
    // 2000 draws at 0.005 give 10 on average, and more than 21 once in a thousand times.
    expect(better).toBeLessThanOrEqual(21)
  })

  it('intervals contain the estimate at every look and are wider with fewer pairs', () => {
    const differences = [0.02, -0.01, 0.03, 0.01, 0, 0.02, 0.015, 0.005, 0.01, 0.02]
    const few = readPairs(differences.slice(0, 6), PLAN)
    const more = readPairs(differences, PLAN)
    expect(few.low).toBeLessThan(few.estimate)
    expect(few.high).toBeGreaterThan(few.estimate)
    expect(more.high - more.low).toBeLessThan(few.high - few.low)
  })
})
