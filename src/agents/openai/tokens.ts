import type { Price } from '../../config/campaign-config.ts'
import type { TokenCount } from './reply.ts'

/** Roughly, for English and code. */
export const CHARACTERS_PER_TOKEN = 4

/** The approximate number of tokens. Good enough to stay below a limit; costs use the endpoint's count. */
export function estimateTokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN)
}

/** What a call cost in dollars; undefined when the price is not known. */
export function priceOf(tokens: TokenCount, price: Price | undefined): number | undefined {
  if (price === undefined) return undefined
  const fresh = Math.max(0, tokens.input - tokens.cachedInput)
  const { input, cachedInput, output } = price
  return (fresh * input + tokens.cachedInput * cachedInput + tokens.output * output) / 1_000_000
}
