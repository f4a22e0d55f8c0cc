// Decides whether an answer is right, by counting the words in another way.

export function assertCounts(answer, text) {
  if (answer === JSON.stringify(countPlainly(text))) return
  const what = answer.length > 60 ? `${answer.slice(0, 60)}…` : answer
  throw new Error(`wrong counts for a text of ${text.length} characters: ${what}`)
}

function countPlainly(text) {
  const counts = new Map()
  for (const word of text.split(' ')) counts.set(word, (counts.get(word) ?? 0) + 1)
  return [...counts].sort(
    ([word, count], [otherWord, otherCount]) => otherCount - count || (word < otherWord ? -1 : 1),
  )
}
