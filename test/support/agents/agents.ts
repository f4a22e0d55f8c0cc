import type { Agent, AgentTask, CodeOutcome } from '../../../src/agents/agent.ts'

/** An agent that does one thing to its folder and calls it a change. */
export function anAgent(
  work: (folder: string, task: AgentTask) => unknown,
  outcome: Partial<Extract<CodeOutcome, { status: 'changed' }>> = {},
): Agent {
  return {
    name: 'test',
    secrets: [],
    canRework: false,
    checkHealth: async () => [],
    plan: async ({ meter }) => {
      meter.add({ model: 'test', inputTokens: 1, outputTokens: 0, dollars: 0 })
      return { text: 'a plan' }
    },
    code: async (task) => {
      await work(task.workspace.folder, task)
      task.meter.add({ model: 'test', inputTokens: 1, outputTokens: 1, dollars: 0.5 })
      return { status: 'changed', summary: 'a change', ...outcome }
    },
  }
}

/** An agent that says it found nothing to do. */
export function anIdleAgent(reason: string): Agent {
  return {
    name: 'idle',
    secrets: [],
    canRework: false,
    checkHealth: async () => [],
    plan: async () => ({ text: '' }),
    code: async () => ({ status: 'unchanged', reason }),
  }
}

/** An agent that does nothing until it is told to stop. */
export function aHangingAgent(started: () => void = () => undefined): Agent {
  return anAgent(
    (_, { signal }) =>
      new Promise((_resolve, reject) => {
        // Keeps the process alive, as a request under way would.
        const timer = setInterval(() => undefined, 1000)
        const stop = (): void => {
          clearInterval(timer)
          reject(signal.reason)
        }
        if (signal.aborted) stop()
        signal.addEventListener('abort', stop)
        started()
      }),
  )
}
