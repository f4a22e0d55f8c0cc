import type { Agent } from './agent.ts'

/** One agent that plans with the first and writes with the second. */
export function pairAgents(planner: Agent, coder: Agent): Agent {
  return {
    name: `${planner.name}+${coder.name}`,
    secrets: [...planner.secrets, ...coder.secrets],
    canRework: coder.canRework,
    plan: (task) => planner.plan(task),
    code: (task, plan) => coder.code(task, plan),
    checkHealth: async (signal) =>
      (await Promise.all([planner.checkHealth(signal), coder.checkHealth(signal)])).flat(),
  }
}
