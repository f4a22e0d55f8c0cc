import { expect, it } from 'vitest'
import { explainLongConfirmation } from '../../../src/core/measuring/measurement-plan.ts'

it.each([
  [80_000, 20, false, undefined],
  [90_000, 20, false, '41 runs, about 62 minutes'],
  [40_000, 20, true, undefined],
  [45_000, 20, true, '81 runs, about 61 minutes'],
  [90_000, 5, false, undefined],
])('runs of %d ms with %d pairs (held-out: %s) lead to %s', (runMs, maxPairs, hasHeldOut, said) => {
  const told = explainLongConfirmation({ runMs, maxPairs, hasHeldOut })
  if (said === undefined) expect(told).toBeUndefined()
  else expect(told).toContain(said)
})
