import { expect, it } from 'vitest'
import { agentVariables, createAgent } from '../../src/agents/registry.ts'
import { anAgentConfig } from '../support/agents/agent-config.ts'

const NOWHERE = { path: '', environment: {} }

it('creates the agent of a config', () => {
  expect(createAgent(anAgentConfig({}, { use: 'offline' }), NOWHERE).name).toBe('offline')
  const environment = { OPENAI_API_KEY: 'k' }
  expect(createAgent(anAgentConfig(), { path: '', environment }).name).toBe('openai')
})

it('pairs a planner with a coder', () => {
  const config = anAgentConfig({}, { use: 'command', planner: 'openai', command: { code: 'true' } })
  expect(createAgent(config, { path: '', environment: { OPENAI_API_KEY: 'k' } }).name).toBe('openai+command')
})

it('says which variable has no key before anything is spent', () => {
  const config = anAgentConfig({ key_variable: 'MY_KEY' })
  expect(agentVariables(config)).toEqual(['MY_KEY'])
  expect(() => createAgent(config, NOWHERE)).toThrow(
    expect.objectContaining({
      code: 'agent-unavailable',
      message: expect.stringContaining('MY_KEY is not set'),
    }),
  )
})
