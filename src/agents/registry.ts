import { LoreleyError } from '../errors.ts'
import type { Agent } from './agent.ts'
import { createOfflineAgent } from './offline/agent.ts'

const AGENTS: ReadonlyMap<string, () => Agent> = new Map([['offline', createOfflineAgent]])

/** The agent of that name. */
export function createAgent(name: string): Agent {
  const create = AGENTS.get(name)
  if (create !== undefined) return create()
  throw new LoreleyError(
    'agent-unavailable',
    `There is no agent called "${name}".`,
    `Set agent.use to one of: ${[...AGENTS.keys()].join(', ')}.`,
  )
}
