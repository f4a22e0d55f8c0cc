import type { Reserve, Usage } from '../core/budget/budget.ts'
import { learnedAxes } from '../core/space/learn.ts'
import type { AgentConfig, CampaignConfig } from './campaign-config.ts'

/** The most that a candidate may cost under the config's limits. The budget reserves this for each. */
export function mostUsage(config: CampaignConfig): Reserve {
  const { agent, evaluation } = config
  const { gates, quick, heldOut, timeoutSeconds } = evaluation
  const gateSeconds = gates.reduce((sum, gate) => sum + gate.timeoutSeconds, 0)
  // The root also runs the quick and held-out commands, the latter twice. Further held-out runs, for numbers that vary
  // there, are counted once they are known.
  const measuringSeconds = gateSeconds + 2 * (quick?.timeoutSeconds ?? 0) + timeoutSeconds
  const [model, embedder] = [mostOfModel(agent), mostOfEmbedder(config)]
  return {
    tokens: model.tokens + embedder.tokens,
    dollars: model.dollars + embedder.dollars,
    runnerMs: 1000 * (agent.timeoutSeconds + measuringSeconds),
    measuringMs: 1000 * (measuringSeconds + 4 * (heldOut?.timeoutSeconds ?? 0)),
  }
}

function mostOfModel({ use, planner, openai, limits }: AgentConfig): Pick<Usage, 'tokens' | 'dollars'> {
  if (use !== 'openai' && planner !== 'openai') return { tokens: 0, dollars: 0 }
  const prices = (openai?.models ?? []).flatMap(({ price }) => (price ? [price.input, price.output] : []))
  const most = (limits.tokens * Math.max(0, ...prices)) / 1_000_000
  return { tokens: limits.tokens, dollars: Math.min(most, limits.dollars ?? most) }
}

// Both sides of the largest change that the scope allows, at about four bytes per token. Embedding a lineage that is
// further from the root, or the whole repository once, is counted when it is known.
function mostOfEmbedder(config: CampaignConfig): Pick<Usage, 'tokens' | 'dollars'> {
  const { embedder, scope } = config
  if (embedder.use !== 'openai' || learnedAxes(config) === 0) return { tokens: 0, dollars: 0 }
  const tokens = Math.ceil(scope.maxChangeBytes / 2)
  return { tokens, dollars: (tokens * embedder.dollarsPerMillionTokens) / 1_000_000 }
}
