import { expect, it } from 'vitest'
import { explainLongConfirmation } from '../../../src/core/measuring/measurement-plan.ts'

it.each([
  [82_000, 20, false, undefined],
  [90_000, 20, false, '40 runs, about 60 minutes'],
  [41_000, 20, true, undefined],
  [45_000, 20, true, '80 runs, about 60 minutes'],
  [90_000, 5, false, undefined],
])('runs of %d ms with %d pairs (held-out: %s) lead to %s', (runMs, maxPairs, hasHeldOut, said) => {
  const told = explainLongConfirmation({ runMs, maxPairs, hasHeldOut })
  if (said === undefined) expect(told).toBeUndefined()
  else expect(told).toContain(said)
})
