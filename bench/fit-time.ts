import { rngFor } from '../src/core/rng.ts'
import { fitAxes } from '../src/core/space/fit-axes.ts'
import { rounded } from './bench.ts'

const SHAPES = [
  [1000, 512],
  [1000, 1536],
] as const
// As many directions stand out from the noise, each a little less than the one before: the hard case for PCA.
const DIRECTIONS = 20

/** Processor time of one fit of two axes, which blocks whoever ticks. */
export function measureFits(): Record<string, number> {
  return Object.fromEntries(
    SHAPES.map(([count, dimensions]) => {
      const rows = createRows(count, dimensions)
      const started = process.cpuUsage()
      fitAxes(rows, 2)
      const { user, system } = process.cpuUsage(started)
      return [`${count} x ${dimensions}`, rounded((user + system) / 1e6)]
    }),
  )
}

function createRows(count: number, dimensions: number): Float64Array[] {
  const rng = rngFor(1, dimensions, 'fit')
  const random = (length: number) => Float64Array.from({ length }, () => rng.unit() - 0.5)
  const directions = Array.from({ length: DIRECTIONS }, () => random(dimensions))
  return Array.from({ length: count }, () => {
    const row = random(dimensions)
    for (const [index, direction] of directions.entries()) {
      const along = (rng.unit() - 0.5) * 3 * 0.97 ** index
      for (const [slot, component] of direction.entries()) row[slot] = (row[slot] ?? 0) + along * component
    }
    return row
  })
}
