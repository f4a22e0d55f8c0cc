import { rngFor } from '../src/core/rng.ts'
import { type Embedding, encodeVector } from '../src/core/space/embedding.ts'
import { UNFITTED } from '../src/core/space/projection.ts'
import { refit } from '../src/core/space/refit.ts'
import type { StoredCampaign } from '../src/store/state-store.ts'

const DIMENSIONS = 512
const FITTED_ON = 256
const LEARNED = { kind: 'learned' } as const

/** The same campaign with learned axes, as campaigns have by default: a vector for each candidate behind it. */
export function withLearnedAxes({ state, config }: StoredCampaign): StoredCampaign {
  const search = { ...config.search, descriptor: 'delta', axes: [LEARNED, LEARNED] } as const
  const learned = { ...config, search }
  const tail = state.ledger.tail.map((entry) => ({ ...entry, embedding: createEmbedding(entry.ordinal) }))
  const known = Array.from({ length: FITTED_ON }, (_, ordinal) => createEmbedding(ordinal))
  const { finished } = state.campaign
  // As if fitted with the last candidate: a fit reads the whole history on purpose, and is no step like the others.
  const fitted = refit(UNFITTED, known, { finished, sides: [16, 16] })
  const projection = { ...fitted, version: 3 }
  return {
    config: learned,
    state: { ...state, config: learned, projection, ledger: { ...state.ledger, tail } },
  }
}

/** A vector as long as the default embedder's, with two directions that stand out. */
export function createEmbedding(ordinal: number): Embedding {
  const rng = rngFor(1, ordinal, 'tick')
  const components = Array.from(
    { length: DIMENSIONS },
    (_, index) => (rng.unit() - 0.5) * (index < 2 ? 1 : 0.05),
  )
  const files = [`src/part-${ordinal % 6}/file-${ordinal % 60}.js`]
  return { vector: encodeVector(components, rng.unit()), files, terms: ['tune', 'swap'] }
}
