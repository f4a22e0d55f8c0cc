import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createArchive } from '../../../src/core/archive/cell-archive.ts'
import { gridSizes } from '../../../src/core/archive/grid.ts'
import { anArchive, anElite, LESS_TIME, MORE_SCORE } from '../../support/builders.ts'

describe('adding to a grid', () => {
  it('opens a new cell', () => {
    expect(anArchive().add(anElite({ descriptor: [0.1, 0.9] }))).toEqual({ status: 'new-cell', cell: '0-3' })
  })

  it('replaces the holder when the value is better, and says whom', () => {
    const archive = anArchive([anElite({ ordinal: 1, value: [1] })])
    const better = anElite({ ordinal: 2, value: [2] })
    expect(archive.add(better)).toEqual({ status: 'improved', cell: '2-2', replaced: 1 })
    expect(archive.members()).toEqual([{ island: 'main', cell: '2-2', rank: 1, elite: better }])
  })

  it.each([
    ['tie', [1]],
    ['not-better', [0.5]],
  ] as const)('keeps the older elite and refuses with %s', (reason, value) => {
    const holder = anElite({ ordinal: 1, value: [1] })
    const archive = anArchive([holder])
    const refused = { status: 'refused', reason, cell: '2-2', holder: 1 }
    expect(archive.add(anElite({ ordinal: 2, value }))).toEqual(refused)
    expect(archive.members().map(({ elite }) => elite)).toEqual([holder])
  })

  it('lets a later objective break the tie of the first', () => {
    const archive = anArchive([anElite({ value: [1, 5] })], [MORE_SCORE, LESS_TIME])
    expect(archive.add(anElite({ ordinal: 2, value: [1, 4] }))).toMatchObject({ status: 'improved' })
  })

  it.each([
    ['value-not-finite', { value: [Number.NaN] }],
    ['value-not-finite', { value: [1, Number.POSITIVE_INFINITY] }],
    ['descriptor-not-finite', { descriptor: [0.5, Number.NaN] }],
  ] as const)('refuses with %s and changes nothing', (reason, changes) => {
    const archive = anArchive()
    expect(archive.add(anElite(changes))).toEqual({ status: 'refused', reason })
    expect(archive.members()).toEqual([])
  })

  it('puts positions on or beyond the border into the outermost cells', () => {
    const archive = anArchive()
    expect([archive.cellOf([0, 1]), archive.cellOf([-3, 7]), archive.cellOf([0.25, 0.2499])]).toEqual([
      '0-3',
      '0-3',
      '1-0',
    ])
  })
})

describe('a grid', () => {
  it('lists its members in the order of their cells, axis by axis as numbers', () => {
    const archive = createArchive({ kind: 'grid', sizes: [12, 2] }, { objectives: [MORE_SCORE] })
    for (const [index, x] of [0.99, 0.2, 0.85, 0].entries()) {
      archive.add(anElite({ ordinal: index, descriptor: [x, 0] }))
    }
    expect(archive.members().map(({ cell }) => cell)).toEqual(['0-0', '2-0', '10-0', '11-0'])
  })

  it('copies itself independently', () => {
    const archive = anArchive([anElite({ ordinal: 1 })])
    const copy = archive.copy()
    copy.add(anElite({ ordinal: 2, value: [2] }))
    archive.add(anElite({ ordinal: 3, descriptor: [0, 0] }))
    expect(archive.members().map(({ elite }) => elite.ordinal)).toEqual([3, 1])
    expect(copy.members().map(({ elite }) => elite.ordinal)).toEqual([2])
  })

  it('measures distance by the axis that differs most', () => {
    const archive = anArchive()
    expect([archive.distance('1-1', '1-1'), archive.distance('0-3', '1-1')]).toEqual([0, 2])
  })

  it('holds in each cell the best that ever asked for it, the oldest of equals, in any order', () => {
    const unit = fc.double({ min: 0, max: 1, noNaN: true })
    const asked = fc.array(fc.tuple(unit, unit, fc.integer({ min: 0, max: 5 })), { maxLength: 40 })
    fc.assert(
      fc.property(asked, (candidates) => {
        const elites = candidates.map(([x, y, score], ordinal) =>
          anElite({ ordinal, descriptor: [x, y], value: [score] }),
        )
        const archive = anArchive(elites)
        for (const { cell, elite } of archive.members()) {
          const rivals = elites.filter(({ descriptor }) => archive.cellOf(descriptor) === cell)
          const most = Math.max(...rivals.map(({ value }) => value[0] ?? Number.NaN))
          expect(elite).toBe(rivals.find(({ value }) => value[0] === most))
        }
        const cells = new Set(elites.map(({ descriptor }) => archive.cellOf(descriptor)))
        expect(archive.members()).toHaveLength(cells.size)
      }),
      { seed: 4, numRuns: 100 },
    )
  })
})

describe('gridSizes', () => {
  it.each([
    [9, 2, [3, 3]],
    [12, 2, [4, 3]],
    [13, 2, [4, 3]],
    [256, 2, [16, 16]],
    [20, 3, [3, 3, 2]],
    [27, 3, [3, 3, 3]],
    [100, 1, [100]],
  ])('cuts %d cells along %d axes into %j', (cells, axes, sizes) => {
    expect(gridSizes(cells, axes)).toEqual(sizes)
  })

  it('gridSizes never exceeds the number of cells, unless an axis needs its minimum of two', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 1, max: 3 }), (cells, axes) => {
        const sizes = gridSizes(cells, axes)
        const count = sizes.reduce((product, size) => product * size, 1)
        expect(Math.min(...sizes)).toBeGreaterThanOrEqual(2)
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1)
        expect(count <= cells || sizes.every((size) => size === 2)).toBe(true)
        expect(sizes).toEqual([...sizes].sort((a, b) => b - a))
      }),
      { seed: 5, numRuns: 300 },
    )
  })
})
