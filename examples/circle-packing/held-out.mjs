// Measures what no agent gets to see: other numbers of circles, by the same rules. A program that only knows where 26
// circles go is no better than before here.

import { assertPacking } from './evaluator/assert-packing.mjs'
import { refuse } from './evaluator/refuse.mjs'
import { runTwice } from './evaluator/run-twice.mjs'

const COUNT = 26
const OTHER_COUNTS = [19, 34]

try {
  const sums = await Promise.all(OTHER_COUNTS.map(sumOfRadii))
  console.log(JSON.stringify({ sum_radii: sums.reduce((total, sum) => total + sum, 0) / sums.length }))
} catch (error) {
  refuse(error)
}

// As if there were 26: the largest possible sum grows with the square root of the number.
async function sumOfRadii(count) {
  const circles = assertPacking(await runTwice(process.cwd(), count), count)
  return circles.reduce((total, [, , r]) => total + r, 0) * Math.sqrt(COUNT / count)
}
