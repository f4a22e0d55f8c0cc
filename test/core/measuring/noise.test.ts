import { describe, expect, it } from 'vitest'
import { areEqual, explainNoise, isAlike, readNoise, reportNoise } from '../../../src/core/measuring/noise.ts'
import { readPairs } from '../../../src/core/measuring/stats/sampling.ts'
import { rngFor } from '../../../src/core/rng.ts'
import { MORE_SCORE } from '../../support/builders.ts'

const sampling = { minPairs: 6, maxPairs: 20, confidence: 0.993 }
const limits = { sampling, smallestGain: 0.1 }
const scores = (values: readonly number[]) => values.map((score) => ({ score }))
const NOISY = scores([100, 103, 98, 101, 99, 102, 97, 100, 104, 100, 99, 101])

describe('readNoise', () => {
  it('tells how much runs differ, and what gain can be told from it', () => {
    const noise = readNoise(NOISY, MORE_SCORE, sampling)
    // The median is 100, half the runs are within 1 of it: 1.4826 · 1 ∕ 100.
    expect(noise.spread).toBeCloseTo(0.014826, 10)
    expect(isAlike(noise)).toBe(true)
  })

  it('wants more of a gain the surer a verdict must be, and the fewer pairs there are', () => {
    const resolvable = (plan: Partial<typeof sampling>): number =>
      readNoise(NOISY, MORE_SCORE, { ...sampling, ...plan }).resolvable
    expect(resolvable({ confidence: 0.9999 })).toBeGreaterThan(1.3 * resolvable({}))
    expect(resolvable({ maxPairs: 80 }) / resolvable({})).toBeCloseTo(1 / 2, 1)
  })

  it('sees noise where most runs agree and some do not', () => {
    const noise = readNoise(scores([100, 100, 100, 100, 100, 130, 100, 130, 100, 100]), MORE_SCORE, sampling)
    expect(noise.spread).toBeCloseTo(Math.sqrt(Math.PI / 2) * 0.06, 10)
  })

  it('finds a root that is not equal to itself', () => {
    // Interleaved, the candidate is always faster: the evaluator warms something up for the next run.
    const drifting = [0, 1, 2, 3, 4].flatMap(() => [100, 110, 111, 101])
    expect(isAlike(readNoise(scores(drifting), MORE_SCORE, sampling))).toBe(false)
  })
})

describe('the gain that stands out', () => {
  const OUTLIER = scores([100, 101, 99, 100.5, 99.5, 160, 100.2, 99.8, 100.7, 99.3, 100.1, 99.9])

  /** How often the interval of a verdict shows a gain, over pairs drawn from the root's own runs. */
  function shown(runs: typeof NOISY, gain: number): number {
    const rng = rngFor(3, 0, 'pairs')
    const draw = (): number => runs[Math.floor(rng.unit() * runs.length)]?.score ?? Number.NaN
    const verdicts = Array.from({ length: 300 }, () => {
      const differences = Array.from({ length: 20 }, () => Math.log(((1 + gain) * draw()) / draw()))
      return readPairs(differences, sampling).low > 0
    })
    return verdicts.filter(Boolean).length / verdicts.length
  }

  it.each([
    ['plain noise', NOISY],
    ['an outlier', OUTLIER],
  ])('the gain that stands out is one that verdicts show with %s', (_, runs) => {
    const { resolvable } = readNoise(runs, MORE_SCORE, sampling)
    expect(shown(runs, 1.3 * resolvable)).toBeGreaterThan(0.8)
    expect(shown(runs, 0.5 * resolvable)).toBeLessThan(0.6)
  })

  it('the gain that stands out stays small with an outlier if there are pairs enough', () => {
    const { resolvable } = readNoise(OUTLIER, MORE_SCORE, { ...sampling, maxPairs: 40 })
    expect(resolvable).toBeLessThan(0.01)
  })
})

describe('reportNoise', () => {
  it('says what a maintainer wants to know', () => {
    const report = reportNoise(NOISY, [MORE_SCORE], limits)
    expect(report).toMatchObject({ runs: 12, deterministic: false, smallestGain: 0.1, maxPairs: 20 })
    expect(report?.variation).toBeCloseTo(0.0193, 3)
    expect(report?.tooNoisy).toBeUndefined()
  })

  it('calls an evaluator too noisy for the confidence within the pairs', () => {
    const wild = scores([100, 160, 40, 120, 80, 150, 50, 110, 90, 140, 60, 100])
    const report = reportNoise(wild, [MORE_SCORE], limits)
    expect(report?.tooNoisy).toContain('no gain below')
    expect(explainNoise(report?.noise, { ...limits, smallestGain: 5 })).toBeUndefined()
  })

  it('recognises a deterministic evaluator, and has nothing to say of runs without a value', () => {
    expect(reportNoise(scores([7, 7, 7]), [MORE_SCORE], limits)).toMatchObject({
      deterministic: true,
      variation: 0,
    })
    expect(reportNoise([{ other: 1 }], [MORE_SCORE], limits)).toBeUndefined()
    expect(areEqual([], [MORE_SCORE])).toBe(true)
  })
})

describe('reportNoise of several objectives', () => {
  it('reportNoise describes the noisiest objective and treats a constant one as exact', () => {
    const runs = [10, 900, 40, 700, 20, 800].map((time) => ({ size: 0, time }))
    const objectives = [
      { metric: 'size', direction: 'minimize' },
      { metric: 'time', direction: 'minimize' },
    ] as const
    const report = reportNoise(runs, objectives, limits)
    expect(report?.noise).toMatchObject({ metric: 'time', spread: expect.any(Number) })
    expect(report?.tooNoisy).toContain(' in time. ')
    expect(report?.variation).toBeGreaterThan(0.5)
  })
})
