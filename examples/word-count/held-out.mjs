// Measures what no agent gets to see: texts with other words, by the same rules. A hash that is good for the endings
// of the shown words only is no better than before here.

import { measure } from './evaluator/measure.mjs'
import { refuse } from './evaluator/refuse.mjs'
import { createText } from './evaluator/texts.mjs'

const ROUNDS = 16

try {
  const endings = ['al', 'en', 'ism', 'ment', 'y']
  const texts = Array.from({ length: ROUNDS }, (_, round) =>
    createText({ seed: 1000 + round, words: 3200, vocabulary: 1000, endings }),
  )
  console.log(JSON.stringify(await measure(process.cwd(), texts)))
} catch (error) {
  refuse(error)
}
