// The gate: counts must be right, for odd texts too, before anybody asks how fast they come.

import { ask } from './evaluator/ask.mjs'
import { assertCounts } from './evaluator/assert-counts.mjs'
import { refuse } from './evaluator/refuse.mjs'
import { createText } from './evaluator/texts.mjs'

const TEXTS = [
  'one',
  'b a b a c',
  'z z z',
  '  two  spaces ',
  '',
  // More words than are sorted by insertion.
  createText({ seed: 7, words: 5000, vocabulary: 4000, endings: ['', 'a', 'ab', 'abc'] }),
]

try {
  const answers = await ask(process.cwd(), TEXTS)
  for (const [index, { answer }] of answers.entries()) assertCounts(answer, TEXTS[index])
} catch (error) {
  refuse(error)
}
