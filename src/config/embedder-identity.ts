import { learnedAxes } from '../core/space/learn.ts'
import type { CampaignConfig, EmbedderConfig } from './campaign-config.ts'
import { digestOf } from './digest.ts'

// Raise this when the embedded text changes: which files take part, how they are cleaned and cut, how they are
// weighted.
const TEXTS = 'texts-3'

/**
 * Identifies everything that affects an embedder's numbers. Two identities mean two spaces. The key, the price and
 * unused settings are left out.
 */
export function embedderIdentity(config: EmbedderConfig): string {
  return [nameOf(config), TEXTS, ...config.extensions.toSorted()].join('/')
}

function nameOf({ use, dimensions, baseUrl, model, command }: EmbedderConfig): string {
  switch (use) {
    case 'hashing':
      return `hashing-1/${dimensions}`
    case 'openai':
      return `openai/${baseUrl}/${model}/${dimensions}`
    case 'command':
      return `command/${command}/${dimensions}`
  }
}

/**
 * SHA-256 of everything that describes candidates; undefined if no axis is learned. A new digest starts a new epoch.
 */
export function digestEmbedder(config: CampaignConfig): string | undefined {
  return learnedAxes(config) === 0 ? undefined : digestOf({ embedder: embedderIdentity(config.embedder) })
}
