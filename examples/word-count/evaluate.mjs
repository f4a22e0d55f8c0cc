// Measures how fast the repository in the working directory counts words and prints one line of JSON. With --quick the
// texts are fewer: enough to tell a candidate that is not worth more.
//
// The candidate's code runs in a process of its own and hands over nothing but counts. All judging and all timing
// happens here: whatever the candidate prints, patches or exits with cannot change the verdict.

import { measure } from './evaluator/measure.mjs'
import { refuse } from './evaluator/refuse.mjs'
import { createText } from './evaluator/texts.mjs'

const ROUNDS = 24
const QUICK_ROUNDS = 8

try {
  const length = process.argv[2] === '--quick' ? QUICK_ROUNDS : ROUNDS
  const endings = ['ed', 'er', 'ing', 'ly']
  // Another text in every round, so that nothing is gained by remembering the last one.
  const texts = Array.from({ length }, (_, seed) =>
    createText({ seed, words: 3200, vocabulary: 950, endings }),
  )
  console.log(JSON.stringify(await measure(process.cwd(), texts)))
} catch (error) {
  refuse(error)
}
