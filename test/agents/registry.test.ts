import { expect, it } from 'vitest'
import { createAgent } from '../../src/agents/registry.ts'
import { LoreleyError } from '../../src/errors.ts'

it('creates the agent of a name', () => {
  expect(createAgent('offline').name).toBe('offline')
})

it('names the agents there are when the name is unknown', () => {
  expect(() => createAgent('psychic')).toThrow(LoreleyError)
  expect(() => createAgent('psychic')).toThrow(
    expect.objectContaining({ code: 'agent-unavailable', hint: expect.stringContaining('offline') }),
  )
})
