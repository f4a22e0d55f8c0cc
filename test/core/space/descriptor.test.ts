import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Metrics } from '../../../src/core/measuring/objective.ts'
import {
  type Axis,
  CHANGE_AXES,
  type ChangeStats,
  type DescriptorResult,
  describe as place,
} from '../../../src/core/space/descriptor.ts'

const NO_CHANGE = { files: 0, linesAdded: 0, linesRemoved: 0 }
/** Without learned axes. */
function put(axes: readonly Axis[], metrics: Metrics, change: ChangeStats): DescriptorResult {
  return place(axes, { metrics, change, learned: [] })
}

const SIZE: Axis = { kind: 'metric', metric: 'size', min: 10, max: 20 }

describe('a metric axis', () => {
  it.each([
    [10, 0],
    [15, 0.5],
    [20, 1],
    [-1e9, 0],
    [1e9, 1],
  ])('places %d at %d', (size, position) => {
    expect(put([SIZE], { size }, NO_CHANGE)).toEqual({ status: 'valid', descriptor: [position] })
  })

  it.each([
    ['metric-missing', {}],
    ['metric-not-finite', { size: Number.NaN }],
    ['metric-not-finite', { size: Number.POSITIVE_INFINITY }],
  ] as const)('refuses with %s by name', (reason, metrics) => {
    expect(put([SIZE], metrics, NO_CHANGE)).toEqual({ status: 'refused', reason, metric: 'size' })
  })

  it('a metric axis ignores metrics from the prototype', () => {
    const axis: Axis = { ...SIZE, metric: 'valueOf' }
    expect(put([axis], {}, NO_CHANGE)).toMatchObject({ reason: 'metric-missing' })
  })
})

describe('a change axis', () => {
  const axes = CHANGE_AXES.map((change): Axis => ({ kind: 'change', change }))

  it('puts the root at no churn, no growth and no spread', () => {
    expect(put(axes, {}, NO_CHANGE)).toEqual({ status: 'valid', descriptor: [0, 0.5, 0] })
  })

  it.each([
    ['churn', { files: 1, linesAdded: 200, linesRemoved: 55 }, 1],
    ['growth', { files: 1, linesAdded: 63, linesRemoved: 0 }, 1],
    ['growth', { files: 1, linesAdded: 0, linesRemoved: 63 }, 0],
    ['growth', { files: 1, linesAdded: 40, linesRemoved: 40 }, 0.5],
    ['spread', { files: 15, linesAdded: 0, linesRemoved: 0 }, 1],
    ['spread', { files: 3, linesAdded: 0, linesRemoved: 0 }, 0.5],
  ] as const)('%s of %j is %d', (change, stats, position) => {
    const placed = put([{ kind: 'change', change }], {}, stats)
    expect(placed.status === 'valid' && placed.descriptor[0]).toBeCloseTo(position)
  })

  it('a change axis stays in [0, 1], and churn never falls as lines are added', () => {
    const count = fc.nat(1_000_000)
    const stats = fc.record({ files: count, linesAdded: count, linesRemoved: count })
    fc.assert(
      fc.property(stats, fc.nat(1000), (change, more) => {
        const at = positionsOf(put(axes, {}, change))
        expect(at.every((position) => position >= 0 && position <= 1)).toBe(true)
        const then = positionsOf(put(axes, {}, { ...change, linesAdded: change.linesAdded + more }))
        expect(then[0]).toBeGreaterThanOrEqual(at[0] ?? Number.NaN)
        expect(then[1]).toBeGreaterThanOrEqual(at[1] ?? Number.NaN)
      }),
      { seed: 3, numRuns: 200 },
    )
  })
})

function positionsOf(placed: ReturnType<typeof place>): readonly number[] {
  return placed.status === 'valid' ? placed.descriptor : []
}

describe('learned axes', () => {
  const LEARNED: Axis = { kind: 'learned' }

  it('learned axes keep their positions among declared axes', () => {
    const placed = place([LEARNED, LEARNED, SIZE], {
      metrics: { size: 15 },
      change: NO_CHANGE,
      learned: [0.2, 0.9],
    })
    expect(placed).toEqual({ status: 'valid', descriptor: [0.2, 0.9, 0.5] })
  })

  it('learned axes are in the middle before the first fit', () => {
    expect(put([LEARNED, SIZE], { size: 10 }, NO_CHANGE)).toEqual({ status: 'valid', descriptor: [0.5, 0] })
  })
})
