import { learnedAxes } from '../core/space/learn.ts'
import type { CampaignConfig, EmbedderConfig } from './campaign-config.ts'
import { digestOf } from './digest.ts'

// Counts the changes to what of a file is embedded: which files take part, how they are cleaned and cut, what they weigh.
const TEXTS = 'texts-3'

/**
 * Names everything that decides the numbers of an embedder: another identity, another space. Its key, its price and
 * what it does not use are no part of it.
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

/** SHA-256 of what describes candidates; undefined where no axis is learned. Another digest, another epoch. */
export function digestEmbedder(config: CampaignConfig): string | undefined {
  return learnedAxes(config) === 0 ? undefined : digestOf({ embedder: embedderIdentity(config.embedder) })
}
