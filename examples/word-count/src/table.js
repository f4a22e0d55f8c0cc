// A table from words to counts: a word's hash tells in which of the buckets it is looked for. Whatever the heuristics
// say, every word has a bucket.
import { hash } from './heuristics/hash.js'
import { BUCKETS } from './heuristics/sizes.js'

const MOST_BUCKETS = 1 << 16

export function createTable() {
  const length = Math.min(Math.max(Math.trunc(BUCKETS) || 1, 1), MOST_BUCKETS)
  const buckets = Array.from({ length }, () => [])

  function add(word) {
    const index = Math.abs(Math.trunc(hash(word))) % length || 0
    const entry = buckets[index].find(([other]) => other === word)
    if (entry === undefined) buckets[index].push([word, 1])
    else entry[1]++
  }

  return { add, entries: () => buckets.flat() }
}
