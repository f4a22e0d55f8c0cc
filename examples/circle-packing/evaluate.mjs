// Measures the packing of the repository in the working directory and prints one line of JSON. With --quick it packs
// fewer circles and does it once: enough to tell a candidate that is not worth more.
//
// The candidate's code runs in processes of its own and hands over nothing but numbers. All judging happens
// here, on those numbers: whatever the candidate prints, patches or exits with cannot change the verdict.

import { assertPacking } from './evaluator/assert-packing.mjs'
import { measure } from './evaluator/measure.mjs'
import { refuse } from './evaluator/refuse.mjs'
import { runOnce, runTwice } from './evaluator/run-twice.mjs'

const COUNT = 26
const QUICK_COUNT = 12

try {
  const [run, count] = process.argv[2] === '--quick' ? [runOnce, QUICK_COUNT] : [runTwice, COUNT]
  const circles = assertPacking(await run(process.cwd(), count), count)
  console.log(JSON.stringify(measure(circles)))
} catch (error) {
  refuse(error)
}
