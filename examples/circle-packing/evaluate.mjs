// Measures the packing of the repository in the working directory and prints one line of JSON.
//
// The candidate's code runs in processes of its own and hands over nothing but numbers. All judging happens
// here, on those numbers: whatever the candidate prints, patches or exits with cannot change the verdict.

import { assertPacking } from './evaluator/assert-packing.mjs'
import { measure } from './evaluator/measure.mjs'
import { runTwice } from './evaluator/run-twice.mjs'

try {
  const [first, second] = await runTwice(process.cwd())
  if (first !== second) throw new Error('two runs gave different packings: the program must be deterministic')
  const circles = assertPacking(first)
  console.log(JSON.stringify(measure(circles)))
} catch (error) {
  console.error(`refused: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
}
