import { grow } from './grow.js'
import { layout } from './layout.js'
import { relax } from './relax.js'

const COUNT = 26

// The packing: 26 circles in the unit square, each as [x, y, radius].
export function pack() {
  const points = relax(layout(COUNT))
  return grow(points).map(({ x, y, r }) => [x, y, r])
}
