import { Delaunay } from 'd3-delaunay'
import type { CellId } from '../../core/archive/cells.ts'
import type { Descriptor } from '../../core/space/descriptor.ts'

type Point = [x: number, y: number]

/** A cell of a tessellation on the map. */
export interface Region {
  readonly cell: CellId
  readonly centre: Readonly<Point>
  /** Its outline in the unit square; none where three axes make cells overlap on the map. */
  readonly corners: readonly Readonly<Point>[]
}

/** The cells around these centroids, seen along the first two axes. A single axis gives strips. */
export function cutRegions(centroids: readonly Descriptor[]): Region[] {
  const centres = centroids.map(([x = 0, y = 0.5]): Point => [x, y])
  if ((centroids[0]?.length ?? 0) > 2)
    return centres.map((centre, index) => ({ cell: `${index}`, centre, corners: [] }))
  if (centroids[0]?.length === 1) return cutStrips(centres)
  const voronoi = Delaunay.from(centres).voronoi([0, 0, 1, 1])
  return centres.map((centre, index) => ({
    cell: `${index}`,
    centre,
    corners: (voronoi.cellPolygon(index) ?? []).slice(1).map(([x, y]): Point => [x, y]),
  }))
}

// Points on a line have no triangulation. They come sorted.
function cutStrips(centres: readonly Point[]): Region[] {
  const borders = centres.slice(1).map(([x], index) => (x + (centres[index]?.[0] ?? 0)) / 2)
  return centres.map((centre, index) => {
    const left = borders[index - 1] ?? 0
    const right = borders[index] ?? 1
    const corners: Point[] = [
      [left, 0],
      [right, 0],
      [right, 1],
      [left, 1],
    ]
    return { cell: `${index}`, centre, corners }
  })
}
