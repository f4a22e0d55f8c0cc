import { describe, expect, it } from 'vitest'
import { createCentroids } from '../../src/core/archive/cvt.ts'
import { rngFor } from '../../src/core/rng.ts'
import { renderMap } from '../../src/reports/map/archive-map.ts'
import { renderArchiveSvg } from '../../src/reports/map/archive-svg.ts'
import { cutRegions } from '../../src/reports/map/regions.ts'
import { aCampaign, aConfig, aResult } from '../support/builders.ts'
import { BASELINE, begun, playOut } from '../support/campaign-steps.ts'

function aCvtCampaign(axes: number) {
  const declared = ['x', 'y', 'z'].slice(0, axes)
  const config = aConfig({
    search: {
      archive: 'cvt',
      cells: 9,
      axes: declared.map((metric) => ({ kind: 'metric', metric, min: 0, max: 1 })),
    },
  })
  return playOut(
    begun(aCampaign({ config }), { ...BASELINE, metrics: { score: 1, x: 0, y: 0, z: 0 } }),
    ({ ordinal }) => {
      const rng = rngFor(1, ordinal, 'test')
      return aResult(ordinal, { metrics: { score: ordinal, x: rng.unit(), y: rng.unit(), z: rng.unit() } })
    },
  )
}

describe('the regions of a tessellation', () => {
  it('the regions cover the whole map', () => {
    const regions = cutRegions(createCentroids(20, 2, 1))
    const areas = regions.map(({ corners }) =>
      corners.reduce((sum, [x, y], index) => {
        const [nextX, nextY] = corners[(index + 1) % corners.length] ?? [x, y]
        return sum + (x * nextY - nextX * y) / 2
      }, 0),
    )
    expect(regions).toHaveLength(20)
    expect(areas.reduce((sum, area) => sum + Math.abs(area), 0)).toBeCloseTo(1, 9)
  })

  it('the regions are strips where there is one axis', () => {
    const areas = cutRegions([[0.25], [0.75]]).map(({ corners }) => corners.map(([x]) => x.toFixed(2)).sort())
    expect(areas).toEqual([
      ['0.00', '0.00', '0.50', '0.50'],
      ['0.50', '0.50', '1.00', '1.00'],
    ])
  })
})

describe('the map of a tessellated archive', () => {
  it.each([
    [1, 'polygon'],
    [2, 'polygon'],
    [3, 'circle'],
  ])('a map of %d axes draws each cell once, as a %s, with its elite', (axes, element) => {
    const state = aCvtCampaign(axes)
    const held = state.archive.members().length
    const svg = renderArchiveSvg(state)
    expect(svg.match(new RegExp(`<${element} [^>]*class="held"`, 'g'))).toHaveLength(held)
    expect(svg.match(new RegExp(`<${element} [^>]*class="empty"`, 'g')) ?? []).toHaveLength(9 - held)
    expect(svg).toContain('→ x (0 to 1)')
    expect(svg).not.toContain('NaN')
    expect(renderMap(state, (text) => text)).toContain('→')
  })
})
