import type { Usage } from '../core/budget.ts'
import type { AgentConfig, CampaignConfig } from './campaign-config.ts'

/** What a candidate may cost at the very most by the config's limits: the budget sets this aside for each. */
export function mostUsage({ agent, evaluation }: CampaignConfig): Usage {
  const gates = evaluation.gates.reduce((sum, gate) => sum + gate.timeoutSeconds, 0)
  return {
    ...mostOfModel(agent),
    runnerMs: 1000 * (agent.timeoutSeconds + gates + evaluation.timeoutSeconds),
  }
}

function mostOfModel({ use, planner, openai, limits }: AgentConfig): Pick<Usage, 'tokens' | 'dollars'> {
  if (use !== 'openai' && planner !== 'openai') return { tokens: 0, dollars: 0 }
  const prices = (openai?.models ?? []).flatMap(({ price }) => (price ? [price.input, price.output] : []))
  const most = (limits.tokens * Math.max(0, ...prices)) / 1_000_000
  return { tokens: limits.tokens, dollars: Math.min(most, limits.dollars ?? most) }
}
