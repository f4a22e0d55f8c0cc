import type { AgentLimits, ModelConfig } from '../../config/campaign-config.ts'
import type { Meter } from '../meter.ts'
import { priceOf } from './tokens.ts'

/** What the next request may cost at most. */
export interface NextCost {
  readonly inputTokens: number
  readonly model: ModelConfig
}

/** The limit that the next request could exceed, in words; undefined when it is within all of them. */
export function findExceeded(limits: AgentLimits, { usage }: Meter, next: NextCost): string | undefined {
  const { inputTokens, model } = next
  const tokens = { input: inputTokens, cachedInput: 0, output: model.maxOutputTokens }
  if (usage.tokens + tokens.input + tokens.output > limits.tokens)
    return `agent.limits.tokens (${limits.tokens}) would be exceeded`
  const dollars = priceOf(tokens, model.price) ?? 0
  if (limits.dollars !== undefined && usage.dollars + dollars > limits.dollars)
    return `agent.limits.dollars (${limits.dollars}) would be exceeded`
  return undefined
}
