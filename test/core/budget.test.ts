import { describe, expect, it } from 'vitest'
import { type Account, addUsage, findExhausted, type Limits, NO_USAGE } from '../../src/core/budget.ts'

const LIMITS: Limits = {
  candidates: 10,
  sameFailure: 5,
  parallel: 2,
  candidatesPerDay: 500,
  openPulls: 3,
  dryRun: false,
}
const ACCOUNT: Account = { candidates: 0, activeMs: 0, used: NO_USAGE, reserved: NO_USAGE, inFlight: 0 }
const MINUTE = 60_000

describe('findExhausted', () => {
  it.each<[string, Partial<Limits>, Partial<Account>, string | undefined]>([
    ['the last candidate may still be planned', {}, { candidates: 9 }, undefined],
    ['all candidates are planned', {}, { candidates: 10 }, 'budget-candidates'],
    ['a minute is left', { wallClockMinutes: 2 }, { activeMs: MINUTE }, undefined],
    ['the time is up', { wallClockMinutes: 2 }, { activeMs: 2 * MINUTE }, 'budget-wall-clock'],
    [
      'without a limit any use is fine',
      {},
      { used: { tokens: 1e12, dollars: 1e9, runnerMs: 1e15 } },
      undefined,
    ],
  ])('%s', (_case, limits, account, stop) => {
    expect(findExhausted({ ...LIMITS, ...limits }, { ...ACCOUNT, ...account })).toBe(stop)
  })

  const kinds = [
    ['tokens', 'budget-tokens', { tokens: 100 }, 1],
    ['dollars', 'budget-dollars', { dollars: 100 }, 1],
    ['runnerMs', 'budget-runner-minutes', { runnerMinutes: 100 }, MINUTE],
  ] as const
  describe.each(kinds)('%s', (kind, stop, limits, unit) => {
    const exhausted = (used: number, each: number, inFlight: number) =>
      findExhausted(
        { ...LIMITS, ...limits },
        {
          ...ACCOUNT,
          used: { ...NO_USAGE, [kind]: used * unit },
          reserved: { ...NO_USAGE, [kind]: each * unit },
          inFlight,
        },
      )

    it('allows a candidate that fits exactly', () => {
      expect(exhausted(90, 10, 0)).toBeUndefined()
    })

    it('forbids one that might not fit', () => {
      expect(exhausted(90.5, 10, 0)).toBe(stop)
    })

    it('sets aside the most for each one in flight', () => {
      expect(exhausted(50, 10, 4)).toBeUndefined()
      expect(exhausted(50, 10, 5)).toBe(stop)
    })
  })
})

it('adds usage kind by kind', () => {
  const a = { tokens: 1, dollars: 2, runnerMs: 3 }
  expect(addUsage(a, { tokens: 10, dollars: 20, runnerMs: 30 })).toEqual({
    tokens: 11,
    dollars: 22,
    runnerMs: 33,
  })
})
