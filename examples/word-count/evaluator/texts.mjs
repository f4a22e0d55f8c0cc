// Texts to count: words made of syllables, some of them frequent and most of them rare, as in any language.

const STARTS = ['b', 'ch', 'd', 'f', 'gr', 'h', 'j', 'kl', 'l', 'm', 'n', 'p', 'qu', 'r', 'st', 't', 'v', 'w']
const MIDDLES = ['a', 'e', 'i', 'o', 'u', 'ai', 'ea', 'ou']

// `endings` of the words; the same `seed` gives the same text.
export function createText({ seed, words, vocabulary, endings }) {
  const random = createRandom(seed)
  const pick = (list) => list[Math.floor(random() * list.length)]
  const syllable = () => pick(STARTS) + pick(MIDDLES)
  const known = Array.from({ length: vocabulary }, () => syllable() + syllable() + pick(endings))
  // Squared: the first words are met far more often than the last.
  const text = Array.from({ length: words }, () => known[Math.floor(random() ** 2 * known.length)])
  return text.join(' ')
}

// Numbers from 0 to 1 that look drawn by chance (a linear congruential generator; Numerical Recipes' constants).
function createRandom(seed) {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}
