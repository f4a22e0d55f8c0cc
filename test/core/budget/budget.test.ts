import { describe, expect, it } from 'vitest'
import {
  type Account,
  addUsage,
  canMeasure,
  findExhausted,
  type Limits,
  NO_USAGE,
} from '../../../src/core/budget/budget.ts'

const LIMITS: Limits = {
  candidates: 10,
  tokens: 1_000_000,
  dollars: 1000,
  runnerMinutes: 1000,
  sameFailure: 5,
  parallel: 2,
  candidatesPerDay: 500,
  openPulls: 3,
  dryRun: false,
}
const ACCOUNT: Account = {
  candidates: 0,
  activeMs: 0,
  used: NO_USAGE,
  reserved: NO_USAGE,
  inFlight: 0,
  measuring: 0,
}
const MINUTE = 60_000

describe('findExhausted', () => {
  it.each<[string, Partial<Limits>, Partial<Account>, string | undefined]>([
    ['the last candidate may still be planned', {}, { candidates: 9 }, undefined],
    ['all candidates are planned', {}, { candidates: 10 }, 'budget-candidates'],
    ['a minute is left', { wallClockMinutes: 2 }, { activeMs: MINUTE }, undefined],
    ['the time is up', { wallClockMinutes: 2 }, { activeMs: 2 * MINUTE }, 'budget-wall-clock'],
    ['without a limit any time is fine', {}, { activeMs: 1e15 }, undefined],
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

describe('canMeasure', () => {
  const reserved = { tokens: 100, dollars: 10, runnerMs: 10 * MINUTE, measuringMs: 2 * MINUTE }
  const limits = { ...LIMITS, tokens: 1, dollars: 1, runnerMinutes: 20 }
  const can = (account: Partial<Account>) => canMeasure(limits, { ...ACCOUNT, reserved, ...account })

  it('asks for no model: tokens and dollars do not forbid a measurement', () => {
    expect(can({ used: { tokens: 9, dollars: 9, runnerMs: 0 } })).toBe(true)
  })

  it('counts candidates and measurements in flight, each at its most', () => {
    expect(can({ inFlight: 1, measuring: 4 })).toBe(true)
    expect(can({ inFlight: 1, measuring: 5 })).toBe(false)
  })

  it('leaves less for candidates', () => {
    expect(
      findExhausted({ ...LIMITS, runnerMinutes: 20 }, { ...ACCOUNT, reserved, measuring: 5 }),
    ).toBeUndefined()
    expect(findExhausted({ ...LIMITS, runnerMinutes: 20 }, { ...ACCOUNT, reserved, measuring: 6 })).toBe(
      'budget-runner-minutes',
    )
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
