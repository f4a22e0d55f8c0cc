import { expect, it } from 'vitest'
import { infrastructureFailure } from '../../src/entrypoints/action/documents.ts'
import { LoreleyError } from '../../src/errors.ts'

it.each([
  ['of ours', (said: string) => new LoreleyError('git-failed', said, 'Look.')],
  ['of anybody', (said: string) => new Error(said)],
])('a fault %s tells no secret to who reads the result', (_whose, make) => {
  const token = ['ghs', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4'].join('_')
  const { detail } = infrastructureFailure(make(`refused: ${token}`))
  expect(detail).toContain('refused: [secret]')
  expect(detail).not.toContain(token)
})

it("a fault tells nothing of what the step's commands were given to keep", () => {
  const { detail } = infrastructureFailure(new Error('login as hunter2-hunter2'), ['hunter2-hunter2'])
  expect(detail).toBe('login as [secret]')
})
