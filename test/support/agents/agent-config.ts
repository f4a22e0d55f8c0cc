import type { AgentConfig, ModelConfig } from '../../../src/config/campaign-config.ts'
import { resolveAgent } from '../../../src/config/resolve.ts'
import { agentSchema } from '../../../src/config/schema/agent.ts'

/** A priced model that may plan and code. */
export const MODEL: ModelConfig = {
  name: 'small',
  for: 'both',
  weight: 1,
  contextTokens: 128_000,
  maxOutputTokens: 8192,
  price: { input: 1, output: 10, cachedInput: 0.5 },
  parameters: {},
}

/** A config of the agent openai, with the schema's defaults. */
export function anAgentConfig(openai: object = {}, agent: object = {}): AgentConfig {
  const models = [{ name: 'small', price: { input: 1, output: 10, cached_input: 0.5 } }]
  return resolveAgent(agentSchema.parse({ use: 'openai', openai: { models, ...openai }, ...agent }))
}
