import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  compareValues,
  type Objective,
  orientedPrimary,
  reachesTargets,
  readValue,
  relativeGain,
} from '../../../src/core/measuring/objective.ts'
import { LESS_TIME, MORE_SCORE } from '../../support/builders.ts'

const BOTH = [MORE_SCORE, LESS_TIME]
const finite = fc.double({ noNaN: true, noDefaultInfinity: true })
const objectives = fc.array(
  fc.record({ metric: fc.string(), direction: fc.constantFrom('maximize' as const, 'minimize' as const) }),
  { minLength: 1, maxLength: 3 },
)

describe('readValue', () => {
  it('gives one number an objective, in their order, and ignores other metrics', () => {
    expect(readValue({ time: 2, other: 9, score: 1 }, BOTH)).toEqual({ status: 'valid', value: [1, 2] })
  })

  const bounded: Objective = { ...MORE_SCORE, min: 0, max: 10 }
  it.each([
    ['metric-missing', 'time', { score: 1 }, BOTH],
    ['metric-missing', 'score', {}, BOTH],
    ['metric-not-finite', 'time', { score: 1, time: Number.NaN }, BOTH],
    ['metric-not-finite', 'score', { score: Number.POSITIVE_INFINITY }, [MORE_SCORE]],
    ['metric-not-finite', 'score', { score: Number.NEGATIVE_INFINITY }, [bounded]],
    ['metric-out-of-bounds', 'score', { score: -0.001 }, [bounded]],
    ['metric-out-of-bounds', 'score', { score: 10.001 }, [bounded]],
  ] as const)('refuses with %s and the name %s', (reason, metric, metrics, wanted) => {
    expect(readValue(metrics, wanted)).toEqual({ status: 'refused', reason, metric })
  })

  it.each([0, 10])('accepts a value on its bound (%d)', (score) => {
    expect(readValue({ score }, [bounded])).toEqual({ status: 'valid', value: [score] })
  })

  it.each(['constructor', '__proto__', 'toString'])('readValue ignores %s from the prototype', (metric) => {
    expect(readValue({}, [{ metric, direction: 'maximize' }])).toMatchObject({ reason: 'metric-missing' })
  })

  it('readValue never returns a value that is not finite', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('score', 'time'), fc.double()), (metrics) => {
        const read = readValue(metrics, BOTH)
        const usable = Number.isFinite(metrics.score) && Number.isFinite(metrics.time)
        expect(read.status).toBe(usable ? 'valid' : 'refused')
      }),
      { seed: 1, numRuns: 200 },
    )
  })
})

describe('compareValues', () => {
  it.each([
    ['more of a maximised metric is better', [2, 0], [1, 0], 1],
    ['less of a minimised metric breaks a tie', [1, 3], [1, 4], 1],
    ['the first objective decides whatever the second says', [1, 0], [2, 99], -1],
    ['equal values tie', [1, 2], [1, 2], 0],
    ['zero and minus zero tie', [0, -0], [-0, 0], 0],
  ] as const)('%s', (_claim, a, b, sign) => {
    expect(Math.sign(compareValues(a, b, BOTH))).toBeCloseTo(sign)
  })

  it('compareValues is antisymmetric and transitive, and only equal values tie', () => {
    const value = fc.array(finite, { minLength: 3, maxLength: 3 })
    fc.assert(
      fc.property(objectives, value, value, value, (wanted, a, b, c) => {
        const compare = (left: number[], right: number[]) => Math.sign(compareValues(left, right, wanted))
        expect(compare(a, b) + compare(b, a)).toBe(0)
        if (compare(a, b) >= 0 && compare(b, c) >= 0) expect(compare(a, c)).toBeGreaterThanOrEqual(0)
        const seen = (values: number[]) => values.slice(0, wanted.length).map((number) => number + 0)
        if (compare(a, b) === 0) expect(seen(a)).toEqual(seen(b))
      }),
      { seed: 2, numRuns: 300 },
    )
  })
})

describe('reachesTargets', () => {
  const score: Objective = { ...MORE_SCORE, target: 10 }
  const time: Objective = { ...LESS_TIME, target: 2 }
  it.each([
    ['no objective has a target', [MORE_SCORE], [99], false],
    ['the target is met exactly', [score], [10], true],
    ['the target is missed', [score], [9.99], false],
    ['a minimised metric is below its target', [time], [1], true],
    ['one of two targets is missed', [score, time], [10, 3], false],
    ['both targets are met', [score, time], [11, 2], true],
    ['an objective without target does not count', [score, LESS_TIME], [10, 1e9], true],
    ['the target is 0', [{ ...MORE_SCORE, target: 0 }], [-1], false],
  ] as const)('when %s', (_case, wanted, value, reached) => {
    expect(reachesTargets(value, wanted)).toBe(reached)
  })
})

describe('gain on the baseline', () => {
  it.each([
    ['maximize', [12], [10], 0.2],
    ['minimize', [8], [10], 0.2],
    ['minimize', [12], [10], -0.2],
    ['maximize', [-8], [-10], 0.2],
  ] as const)('%s %j from %j', (direction, value, baseline, gain) => {
    expect(relativeGain(value, baseline, [{ metric: 'm', direction }])).toBeCloseTo(gain)
  })

  it('relativeGain is undefined for a baseline of 0', () => {
    expect(relativeGain([1], [0], [MORE_SCORE])).toBeUndefined()
    expect(relativeGain([1], [-0], [LESS_TIME])).toBeUndefined()
  })

  it('orients the first objective so that more is better', () => {
    expect([orientedPrimary([3, 4], BOTH), orientedPrimary([3], [LESS_TIME])]).toEqual([3, -3])
  })
})
