import fc from 'fast-check'
import { PCA } from 'ml-pca'
import { describe, expect, it } from 'vitest'
import { rngFor } from '../../../src/core/rng.ts'
import { fitBounds, positionOf } from '../../../src/core/space/bounds.ts'
import { decodeVector, type Embedding, encodeVector } from '../../../src/core/space/embedding.ts'
import { alignAxes, fitAxes, varianceAlong } from '../../../src/core/space/fit-axes.ts'
import { project, UNFITTED } from '../../../src/core/space/projection.ts'
import { nextFitAt, refit, refitInSteps } from '../../../src/core/space/refit.ts'

/** Candidates of two kinds in twelve dimensions, those of the second further from the root. */
function aHistory(count: number, seed = 1): Embedding[] {
  return Array.from({ length: count }, (_, index) => {
    const rng = rngFor(seed, index, 'vector')
    const second = index % 2 === 1
    const components = Array.from(
      { length: 12 },
      (_, slot) => (slot === (second ? 1 : 0) ? 1 : 0) + (slot < 8 ? 0.3 * rng.unit() : 0),
    )
    const magnitude = second ? 2 + rng.unit() : rng.unit()
    const [file, term] = second ? ['src/b.js', 'beta'] : ['src/a.js', 'alpha']
    return { vector: encodeVector(components, magnitude), files: [file], terms: [term, `own${index}`] }
  })
}

const AXES = { sides: [3, 3], finished: 40 }

function positions(history: readonly Embedding[], projection = refit(UNFITTED, history, AXES)): number[][] {
  return history.map(({ vector }) => project(projection, decodeVector(vector), 2))
}

describe('a fitted projection', () => {
  it('places every vector in the unit square and fills most of a grid', () => {
    const placed = positions(aHistory(96))
    for (const position of placed.flat()) expect(position >= 0 && position <= 1).toBe(true)
    const cells = new Set(placed.map((row) => row.map((at) => Math.min(2, Math.floor(at * 3))).join()))
    expect(cells.size).toBeGreaterThanOrEqual(8)
  })

  it('gives the same bytes for the same history', () => {
    expect(JSON.stringify(refit(UNFITTED, aHistory(60), AXES))).toBe(
      JSON.stringify(refit(UNFITTED, aHistory(60), AXES)),
    )
  })

  it('finds the axes of largest variance among many, also where later ones are almost as large', () => {
    const spread = (slot: number): number => (slot < 3 ? 3 - 0.3 * slot : 1)
    const rows = Array.from({ length: 400 }, (_, index) => {
      const rng = rngFor(4, index, 'rows')
      return Float64Array.from({ length: 80 }, (_, slot) => spread(slot) * (rng.unit() - 0.5))
    })
    const whole = new PCA(
      rows.map((row) => [...row]),
      { method: 'SVD' },
    )
      .getLoadings()
      .to2DArray()
      .slice(0, 3)
    const mean = Array.from({ length: 80 }, () => 0)
    const kept = varianceAlong(rows, fitAxes(rows, 3) ?? { mean, axes: [] })
    expect(kept / varianceAlong(rows, { mean, axes: whole })).toBeGreaterThan(0.999)
  })

  it('names the ends of its axes by size, files and terms', () => {
    const { names } = refit(UNFITTED, aHistory(60), AXES)
    const said = names.flatMap(({ low, high }) => [low, high]).join(' | ')
    expect(said).toContain('large changes')
    expect(said).not.toContain('own')
  })

  it('looks at no more than 1,000 vectors', () => {
    const history = aHistory(1200)
    const few = Array.from(
      { length: 1000 },
      (_, index) => history[Math.floor(((index + 1) * 1200) / 1000) - 1],
    ).filter((each) => each !== undefined)
    expect(refit(UNFITTED, history, AXES).axes).toEqual(refit(UNFITTED, few, AXES).axes)
  })
})

describe('three learned axes', () => {
  const history = aHistory(192)
  const fitted = refit(UNFITTED, history, { sides: [3, 3, 3], finished: 192 })

  it('three learned axes are orthogonal, have names, and fill most of a grid', () => {
    expect(fitted.names).toHaveLength(3)
    const [a = [], b = [], c = []] = fitted.axes
    const dot = (x: readonly number[], y: readonly number[]) =>
      x.reduce((sum, component, slot) => sum + component * (y[slot] ?? 0), 0)
    for (const across of [dot(a, b), dot(a, c), dot(b, c)]) expect(Math.abs(across)).toBeLessThan(0.001)
    const placed = history.map(({ vector }) => project(fitted, decodeVector(vector), 3))
    const cells = placed.map((row) => row.map((at) => Math.min(2, Math.floor(at * 3))).join())
    expect(new Set(cells).size).toBeGreaterThanOrEqual(21)
  })

  it('three learned axes are aligned with the previous ones', () => {
    const again = refit(fitted, aHistory(220), { sides: [3, 3, 3], finished: 220 })
    for (const [index, axis] of again.axes.entries()) {
      const along = axis.reduce((sum, x, slot) => sum + x * (fitted.axes[index]?.[slot] ?? 0), 0)
      expect(along).toBeGreaterThan(0.8)
    }
  })
})

describe('a projection that cannot be fitted', () => {
  const same: Embedding = { vector: encodeVector([1, 0, 0], 1), files: [], terms: [] }

  it.each([
    ['no vectors', []],
    ['fewer different vectors than axes', [same, { ...same, vector: encodeVector([0, 1, 0], 1) }]],
    ['identical vectors', Array.from({ length: 50 }, () => same)],
    [
      'vectors of not-a-number',
      Array.from({ length: 50 }, () => ({ ...same, vector: encodeVector([1, 0, 0], Number.NaN) })),
    ],
    [
      'no variance but in size',
      Array.from({ length: 50 }, (_, index) => ({ ...same, vector: encodeVector([1, 0, 0], index / 9) })),
    ],
    ['vectors that are none', Array.from({ length: 50 }, () => ({ ...same, vector: 'AAAA' }))],
  ])('puts everything in the middle with %s, and is tried again later', (_name, history) => {
    const projection = refit(UNFITTED, history, AXES)
    expect(projection).toEqual({ ...UNFITTED, fittedAt: 40 })
    expect(project(projection, decodeVector(same.vector), 2)).toEqual([0.5, 0.5])
    expect(nextFitAt(projection, { warmUp: 25, window: 8, cells: 9 })).toBe(80)
  })

  it('a fit is cut into steps, so that a server can answer in between', () => {
    const settled = { ...refit(UNFITTED, aHistory(120), AXES), version: 3 }
    const steps = refitInSteps(settled, aHistory(120), { ...AXES, finished: 180 })
    const count = Array.from({ length: 1000 }, () => steps.next().done).indexOf(true)
    // One for each direction of each of six iterations, and some for what follows.
    expect(count).toBeGreaterThan(6 * 8)
  })

  it('fitAxes returns undefined if the variance has fewer directions than axes', () => {
    const line = Array.from({ length: 20 }, (_, index) => Float64Array.of(index, 0, 0))
    expect(fitAxes(line, 2)).toBeUndefined()
    expect(fitAxes(line, 1)?.axes).toEqual([[1, 0, 0]].map((axis) => axis.map((x) => expect.closeTo(x, 5))))
  })

  it('a projection is fitted without the invalid vectors', () => {
    const wrong = [Number.NaN, Number.POSITIVE_INFINITY, 1e30].map((magnitude) => ({
      ...same,
      vector: encodeVector(
        Array.from({ length: 12 }, () => 1),
        magnitude,
      ),
    }))
    const fitted = refit(UNFITTED, [...wrong, ...aHistory(60)], AXES)
    expect(fitted).toEqual(refit(UNFITTED, aHistory(60), AXES))
    for (const { vector } of wrong) expect(project(fitted, decodeVector(vector), 2)).toEqual([0.5, 0.5])
  })

  it('a projection is fitted on the vectors of the most common length', () => {
    const short = { ...same, vector: encodeVector([1, 0, 0, 1, 0], 1) }
    const history = aHistory(60)
    expect(refit(UNFITTED, [short, short, ...history, short], AXES)).toEqual(refit(UNFITTED, history, AXES))
  })

  it('fitAxes returns undefined if vectors differ only by rounding', () => {
    const rng = rngFor(1, 1, 'noise')
    const rows = Array.from({ length: 40 }, () =>
      Float64Array.from({ length: 6 }, (_, slot) => slot + 1e-7 * rng.unit()),
    )
    expect(fitAxes(rows, 2)).toBeUndefined()
  })

  it('keeps the axes it has when later vectors are all alike', () => {
    const before = refit(UNFITTED, aHistory(60), AXES)
    const after = refit(
      before,
      Array.from({ length: 60 }, () => same),
      { ...AXES, finished: 120 },
    )
    expect(after).toEqual({ ...before, fittedAt: 120 })
  })

  it('puts a vector of other dimensions in the middle', () => {
    expect(project(refit(UNFITTED, aHistory(60), AXES), Float64Array.of(1, 2), 2)).toEqual([0.5, 0.5])
  })
})

describe('refitting', () => {
  it('costs few candidates their cells once it is settled, however far the new ones have drifted', () => {
    const seen = aHistory(120)
    const drifted = aHistory(300).map((embedding, index) => {
      const rng = rngFor(3, index, 'turn')
      const components = Array.from({ length: 12 }, (_, slot) => (slot > 8 ? 1.4 * rng.unit() : 0))
      return { ...embedding, vector: encodeVector(components, 3 + index / 100) }
    })
    let projection = UNFITTED
    for (const at of [20, 40, 120])
      projection = refit(projection, seen.slice(0, at), { ...AXES, finished: at })
    const moved = refit(projection, [...seen, ...drifted], { ...AXES, finished: 420 })
    expect([projection.version, moved.version]).toEqual([3, 4])
    const cellsUnder = (fitted: typeof moved): string[] =>
      positions(seen, fitted).map((row) => row.map((at) => Math.min(2, Math.floor(at * 3))).join())
    const [before, after] = [cellsUnder(projection), cellsUnder(moved)]
    expect(after.filter((cell, index) => cell !== before[index]).length).toBeLessThanOrEqual(12)
  })

  it('moves nothing when nothing is new', () => {
    let projection = UNFITTED
    for (const at of [20, 40, 120]) projection = refit(projection, aHistory(120), { ...AXES, finished: at })
    const again = refit(projection, aHistory(120), { ...AXES, finished: 180 })
    expect(positions(aHistory(120), again)).toEqual(
      positions(aHistory(120), projection).map((row) => row.map((at) => expect.closeTo(at, 3))),
    )
  })

  it('aligns new axes with the old ones, whatever their order and signs', () => {
    fc.assert(
      fc.property(fc.double({ min: -3, max: 3, noNaN: true }), fc.boolean(), (angle, flip) => {
        const [c, s] = [Math.cos(angle), Math.sin(angle)]
        const sign = flip ? -1 : 1
        const turned = [
          [c, s, 0],
          [-s * sign, c * sign, 0],
        ]
        const { axes } = alignAxes({ mean: [0, 0, 0], axes: turned }, [
          [1, 0, 0],
          [0, 1, 0],
        ])
        for (const [row, axis] of axes.entries()) {
          for (const [slot, component] of axis.entries())
            expect(component).toBeCloseTo(row === slot ? 1 : 0, 4)
        }
      }),
      { seed: 2 },
    )
  })

  it('fits are due before the first bred candidate, at three candidates per cell, then ever less often', () => {
    const dues = (warmUp: number, cells: number): number[] => {
      const due: number[] = []
      for (let version = 0; version < 5; version++) {
        const projection = { ...UNFITTED, version, fittedAt: due.at(-1) ?? 0 }
        due.push(nextFitAt(projection, { warmUp, window: 8, cells }))
      }
      return due
    }
    expect(dues(25, 12)).toEqual([18, 36, 72, 108, 162])
    expect(dues(30, 64)).toEqual([23, 66, 192, 288, 432])
    expect(dues(0, 64)).toEqual([8, 39, 192, 288, 432])
  })
})

describe('bounds', () => {
  it('bounds never leave the unit interval and keep the order of the first axis', () => {
    const scores = fc.array(
      fc.tuple(fc.double({ noNaN: true, min: -9, max: 9 }), fc.double({ noNaN: true, min: -9, max: 9 })),
      { minLength: 1 },
    )
    fc.assert(
      fc.property(scores, (rows) => {
        const bounds = fitBounds(rows)
        const placed = rows
          .map((row) => ({ row, at: positionOf(bounds, row) }))
          .sort((a, b) => a.row[0] - b.row[0])
        for (const [index, { at }] of placed.entries()) {
          for (const position of at) expect(position >= 0 && position <= 1).toBe(true)
          expect(at[0] ?? 0).toBeGreaterThanOrEqual((placed[index - 1]?.at[0] ?? 0) - 1e-9)
        }
      }),
      { seed: 3 },
    )
  })

  // A line of descent: the further on the first axis, the further on the second, with some spread around that.
  const curve = Array.from({ length: 192 }, (_, index) => {
    const rng = rngFor(5, index, 'curve')
    const first = 6 * rng.unit()
    return [first, first * first + 4 * rng.unit()]
  })

  it('bounds spread dependent axes over most of a grid', () => {
    const bounds = fitBounds(curve)
    const cells = curve.map((row) => positionOf(bounds, row).map((at) => Math.min(7, Math.floor(at * 8))))
    expect(new Set(cells.map(String)).size / 64).toBeGreaterThanOrEqual(0.8)
  })

  it('bounds are continuous: close scores get close positions', () => {
    const bounds = fitBounds(curve)
    const steps = Array.from({ length: 6000 }, (_, index) => {
      const at = (first: number): number => positionOf(bounds, [first, 9])[1] ?? 0
      return Math.abs(at((index + 1) / 1000) - at(index / 1000))
    })
    expect(Math.max(...steps)).toBeLessThan(0.1)
  })
})
