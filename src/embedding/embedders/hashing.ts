import { hashText } from '../../core/hash.ts'
import { type Embedder, normalise, type TextVector } from '../embedder.ts'
import { type Token, tokenise } from '../tokens.ts'

// Measured on public code: parts of names say most about a file's topic, marks least.
const WEIGHTS = { word: 0.5, part: 1.5, number: 0.5, mark: 0.2, pair: 0.3 } as const
// Two slots per feature: two features rarely collide in both.
const SLOT_OFFSETS = [0x811c9dc5, 0x9e3779b9] as const

/**
 * Counts the words of a text, the parts of its names and its pairs of neighbouring tokens, each hashed to
 * two of the dimensions with a sign (feature hashing). No model, no network, the same on every machine.
 */
export function createHashingEmbedder(dimensions = 512): Embedder {
  return {
    dimensions,
    chunked: false,
    embed: async (texts) => ({
      vectors: texts.map((text) => hashFeatures(text, dimensions)),
      usage: { tokens: 0, dollars: 0 },
    }),
  }
}

function hashFeatures(text: string, dimensions: number): TextVector {
  const vector = new Float32Array(dimensions)
  for (const [feature, { count, weight }] of countFeatures(tokenise(text))) {
    // Rounded, because the last bit of a logarithm may differ between machines.
    const amount = weight * Math.fround(1 + Math.log(count))
    for (const offset of SLOT_OFFSETS) {
      const hash = hashText(feature, offset)
      const slot = (hash >>> 1) % dimensions
      vector[slot] = (vector[slot] ?? 0) + (hash & 1 ? amount : -amount)
    }
  }
  return normalise(vector)
}

interface Feature {
  count: number
  readonly weight: number
}

function countFeatures(tokens: readonly Token[]): Map<string, Feature> {
  const features = new Map<string, Feature>()
  const add = (feature: string, weight: number): void => {
    const known = features.get(feature)
    if (known === undefined) features.set(feature, { count: 1, weight })
    else known.count++
  }
  let before = ''
  for (const token of tokens) {
    add(token.text, WEIGHTS[token.kind])
    if (token.kind === 'word') for (const part of token.parts) add(`part ${part}`, WEIGHTS.part)
    // A pair describes structure, so the value of a number does not matter.
    const folded = token.kind === 'number' ? '0' : token.text
    if (before !== '') add(`${before} ${folded}`, WEIGHTS.pair)
    before = folded
  }
  return features
}
