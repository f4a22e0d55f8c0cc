import { Cron } from 'croner'
import * as z from 'zod'

export const scheduleSchema = z
  .strictObject({
    cron: z
      .string()
      .max(200)
      .refine(isCronThatFires, {
        error: 'is not a cron pattern that ever fires',
        params: { hint: 'Five fields: minute, hour, day, month, weekday. "0 3 * * 1" is Mondays at 3.' },
      })
      .describe('When to start, as five cron fields, such as "0 3 * * 1".'),
    time_zone: z
      .string()
      .max(100)
      .refine(isTimeZone, {
        error: 'is not a known time zone',
        params: { hint: 'Use an IANA name such as UTC or Europe/Berlin.' },
      })
      .default('UTC')
      .describe('The time zone of the cron fields.'),
  })
  .describe('Starts the campaign regularly.')

function isCronThatFires(pattern: string): boolean {
  try {
    // A fixed start gives the same answer every day; 31 February never has a next run.
    return new Cron(pattern, { mode: '5-part', timezone: 'UTC' }).nextRun(new Date(0)) !== null
  } catch {
    return false
  }
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
