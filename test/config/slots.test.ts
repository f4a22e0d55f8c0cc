import { describe, expect, it } from 'vitest'
import { findSlots } from '../../src/config/schedule-slots.ts'

const at = (text: string): number => Date.parse(text)
const HOUR = 3_600_000

describe('the slots of a schedule', () => {
  it.each([
    ['2026-11-17T02:59:59Z', undefined, '2026-11-17T03:00:00Z'],
    ['2026-11-17T03:00:00Z', '2026-11-17T03:00:00Z', '2026-11-18T03:00:00Z'],
    ['2026-11-17T04:30:00Z', '2026-11-17T03:00:00Z', '2026-11-18T03:00:00Z'],
    ['2026-11-17T05:30:00Z', undefined, '2026-11-18T03:00:00Z'],
  ])('the last slot at %s is %s and the next is %s', (now, last, next) => {
    expect(findSlots({ cron: '0 3 * * *', timeZone: 'UTC' }, at(now), 2 * HOUR)).toEqual({
      last: last === undefined ? undefined : at(last),
      next: at(next),
    })
  })

  it('takes the latest of several slots, in the time zone of the schedule', () => {
    const schedule = { cron: '*/15 8 * * *', timeZone: 'Europe/Berlin' }
    expect(findSlots(schedule, at('2026-11-17T07:50:00Z'), 2 * HOUR)).toEqual({
      last: at('2026-11-17T07:45:00Z'),
      next: at('2026-11-18T07:00:00Z'),
    })
  })
})
