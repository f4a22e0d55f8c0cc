import { sort } from './sort.js'
import { createTable } from './table.js'

// How often each word of a text occurs, as [word, count]: the most frequent first, equally frequent ones by the alphabet.
export function countWords(text) {
  const table = createTable()
  for (const word of text.split(' ')) table.add(word)
  return sort(table.entries(), byCountThenWord)
}

function byCountThenWord([word, count], [otherWord, otherCount]) {
  return otherCount - count || (word < otherWord ? -1 : 1)
}
