import { grow } from './grow.js'
import { layout } from './layout.js'
import { relax } from './relax.js'

const COUNT = 26

// The packing: circles in the unit square, 26 unless told otherwise, each as [x, y, radius].
export function pack(count = COUNT) {
  const points = relax(layout(count))
  return grow(points).map(({ x, y, r }) => [x, y, r])
}
