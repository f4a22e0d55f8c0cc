import type { AgentConfig } from '../config/campaign-config.ts'
import { LoreleyError } from '../errors.ts'
import type { Agent } from './agent.ts'
import { createCommandAgent } from './command/agent.ts'
import { createOfflineAgent } from './offline/agent.ts'
import { createOpenAiAgent } from './openai/agent.ts'

/** What an agent gets from the machine. */
export interface AgentSurroundings {
  readonly path: string
  /** The variables named by `agentVariables`, as far as they are set. */
  readonly environment: Readonly<Record<string, string>>
}

type AgentName = AgentConfig['use']

const AGENTS: Readonly<Record<AgentName, (config: AgentConfig, given: AgentSurroundings) => Agent>> = {
  offline: () => createOfflineAgent(),
  openai: createOpenAi,
  command: createCommand,
}

/** The environment variables that a config's agents read: keys, and those passed to commands. */
export function agentVariables({ use, planner, openai, command }: AgentConfig): readonly string[] {
  const isUsed = (name: AgentName): boolean => use === name || planner === name
  return [
    ...(isUsed('openai') && openai ? [openai.keyVariable] : []),
    ...(isUsed('command') && command ? command.environment : []),
  ]
}

/** The agent of a config. Throws if something is missing, before anything is spent. */
export function createAgent(config: AgentConfig, given: AgentSurroundings): Agent {
  const coder = AGENTS[config.use](config, given)
  return config.planner === config.use ? coder : pairAgents(AGENTS[config.planner](config, given), coder)
}

function createOpenAi({ openai, limits }: AgentConfig, { environment }: AgentSurroundings): Agent {
  if (openai === undefined) throw missing('openai')
  const key = environment[openai.keyVariable]
  if (key) return createOpenAiAgent({ config: openai, limits, key })
  throw new LoreleyError(
    'agent-unavailable',
    `The agent openai needs a key, and the environment variable ${openai.keyVariable} is not set.`,
    `Set ${openai.keyVariable}; if the endpoint needs no key, set it to any value. On GitHub, add it as a repository secret.`,
  )
}

function createCommand(config: AgentConfig, { path, environment }: AgentSurroundings): Agent {
  const { command, timeoutSeconds } = config
  if (command === undefined) throw missing('command')
  return createCommandAgent({ config: command, timeoutMs: timeoutSeconds * 1000, path, environment })
}

function missing(name: AgentName): LoreleyError {
  return new LoreleyError(
    'agent-unavailable',
    `The agent ${name} is used, but agent.${name} is missing.`,
    `Add agent.${name} to .loreley.yml. docs/how-to/choose-an-agent.md has examples.`,
  )
}

/** An agent that plans with the first and codes with the second. */
function pairAgents(planner: Agent, coder: Agent): Agent {
  return {
    name: `${planner.name}+${coder.name}`,
    secrets: [...planner.secrets, ...coder.secrets],
    canRework: coder.canRework,
    runsPrograms: planner.runsPrograms === true || coder.runsPrograms === true,
    plan: (task) => planner.plan(task),
    code: (task, plan) => coder.code(task, plan),
    checkHealth: async (signal) =>
      (await Promise.all([planner.checkHealth(signal), coder.checkHealth(signal)])).flat(),
  }
}
