import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createArchive } from '../../../src/core/archive/cell-archive.ts'
import { CvtCells, createCentroids } from '../../../src/core/archive/cvt.ts'
import { rebuild } from '../../../src/core/archive/rebuild.ts'
import { createCampaign } from '../../../src/core/campaign/start.ts'
import { rngFor } from '../../../src/core/rng.ts'
import type { Descriptor } from '../../../src/core/space/descriptor.ts'
import { aCampaign, aConfig, anElite, aResult, MORE_SCORE, ROOT } from '../../support/builders.ts'
import { begun, playOut } from '../../support/campaign-steps.ts'

const unit = fc.double({ min: 0, max: 1, noNaN: true })

function squared(a: Descriptor, b: Descriptor): number {
  return a.reduce((sum, position, axis) => sum + (position - (b[axis] ?? 0)) ** 2, 0)
}

describe('createCentroids', () => {
  it('gives the very same centres for a seed on every Node', () => {
    expect(createCentroids(4, 2, 1)).toEqual([
      [0.235, 0.2523],
      [0.2417, 0.7563],
      [0.7358, 0.2433],
      [0.7499, 0.7307],
    ])
  })

  it.each([
    [9, 1],
    [13, 2],
    [64, 3],
  ])('cuts %d cells of about equal size along %d axes', (count, axes) => {
    const centroids = createCentroids(count, axes, 3)
    expect(new Set(centroids.map(String)).size).toBe(count)
    expect(centroids).not.toEqual(createCentroids(count, axes, 4))
    const cells = new CvtCells({ kind: 'cvt', centroids })
    const rng = rngFor(1, 1, 'positions')
    const sizes = new Map<string, number>()
    for (let index = 0; index < 100 * count; index++) {
      const cell = cells.cellOf(Array.from({ length: axes }, () => rng.unit()))
      sizes.set(cell, (sizes.get(cell) ?? 0) + 1)
    }
    expect(sizes.size).toBe(count)
    expect(Math.min(...sizes.values())).toBeGreaterThan(50)
    expect(Math.max(...sizes.values())).toBeLessThan(200)
  })
})

describe('a tessellation', () => {
  it('puts every position into the cell of the nearest centre, of equally near ones the first', () => {
    const centroids = createCentroids(37, 2, 5)
    const cells = new CvtCells({ kind: 'cvt', centroids })
    fc.assert(
      fc.property(unit, unit, (x, y) => {
        const distances = centroids.map((centroid) => squared(centroid, [x, y]))
        expect(cells.cellOf([x, y])).toBe(`${distances.indexOf(Math.min(...distances))}`)
      }),
      { seed: 1, numRuns: 300 },
    )
    const twins = new CvtCells({ kind: 'cvt', centroids: [[0.25], [0.25], [0.75]] })
    expect([twins.cellOf([0.25]), twins.cellOf([0.5])]).toEqual(['0', '0'])
  })

  it('distances between cells are symmetric, 0 to itself and about 1 to neighbours', () => {
    const cells = new CvtCells({ kind: 'cvt', centroids: createCentroids(16, 2, 1) })
    const all = Array.from({ length: 16 }, (_, index) => `${index}`)
    for (const a of all) {
      const distances = all.map((b) => cells.distance(a, b))
      expect(distances).toEqual(all.map((b) => cells.distance(b, a)))
      expect(distances.filter((distance) => distance === 0)).toHaveLength(1)
      expect(distances.filter((distance) => distance === 1).length).toBeGreaterThanOrEqual(2)
    }
  })

  it('holds its members in the order of their cells as numbers', () => {
    const archive = createArchive(
      { kind: 'cvt', centroids: createCentroids(12, 2, 1) },
      { objectives: [MORE_SCORE] },
    )
    for (let ordinal = 0; ordinal < 12; ordinal++)
      archive.add(anElite({ ordinal, descriptor: archive.centreOf(`${11 - ordinal}`) }))
    expect(archive.members().map(({ cell }) => Number(cell))).toEqual([...Array(12).keys()])
  })
})

describe('a campaign with a tessellated archive', () => {
  const config = aConfig({ search: { archive: 'cvt' }, limits: { candidates: 100 } })

  it('a tessellated archive has the number of cells that the budget implies, and the same cells for the same seed', () => {
    const create = () =>
      createCampaign({
        id: 'demo',
        config,
        order: 'ordinal',
        root: ROOT,
        reserved: aResult(0).usage,
        evaluator: '0'.repeat(64),
      })
    expect(create().archive.cellCount).toBe(13)
    expect(create().archive.shape).toEqual(create().archive.shape)
  })

  it('a tessellated archive is rebuilt from its ledger', () => {
    const done = playOut(begun(aCampaign({ config })), ({ ordinal }) =>
      aResult(ordinal, {
        metrics: { score: (ordinal * 13) % 11, x: (ordinal % 8) / 8, y: (ordinal % 5) / 5 },
      }),
    )
    expect(done.archive.members().length).toBeGreaterThan(6)
    expect(rebuild(done, done.ledger.tail).archive.members()).toEqual(done.archive.members())
  })
})
