import type { Reserve, Usage } from '../core/budget/budget.ts'
import { learnedAxes } from '../core/space/learn.ts'
import type { AgentConfig, CampaignConfig } from './campaign-config.ts'

/** The most that a candidate may cost under the config's limits. The budget reserves this for each. */
export function mostUsage(config: CampaignConfig): Reserve {
  const { agent, evaluation } = config
  const { gates, quick, heldOut, timeoutSeconds } = evaluation
  const gateSeconds = gates.reduce((sum, gate) => sum + gate.timeoutSeconds, 0)
  // Quick and held-out commands are run for the root too, the latter twice. Further runs on what was held out, where
  // numbers turn out to vary there, are counted when they are known.
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

// Both sides of a change as large as the scope allows, of about four bytes a token. A lineage that has gone further from
// the root than one change, or what a repository embeds once, is counted when it is known.
function mostOfEmbedder(config: CampaignConfig): Pick<Usage, 'tokens' | 'dollars'> {
  const { embedder, scope } = config
  if (embedder.use !== 'openai' || learnedAxes(config) === 0) return { tokens: 0, dollars: 0 }
  const tokens = Math.ceil(scope.maxChangeBytes / 2)
  return { tokens, dollars: (tokens * embedder.dollarsPerMillionTokens) / 1_000_000 }
}
