import * as z from 'zod'
import { MOST_ALLOWED, MOST_REPORTED } from '../../core/number-bounds.ts'

/** Not a default of the schema: an explicit limit requires prices for all models, this one does not. */
export const DEFAULT_DOLLARS = 200

export const limitsSchema = z
  .strictObject({
    candidates: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(100)
      .describe('The most candidates to try, including failed ones.'),
    wall_clock_minutes: z
      .number()
      .positive()
      .max(MOST_ALLOWED)
      .optional()
      .describe('The longest time that the campaign may run, in minutes.'),
    // More than 100 candidates can cost with the default limits: high enough to never surprise, yet bounded.
    tokens: z.int().min(1).max(MOST_REPORTED).default(50_000_000).describe('The most model tokens to spend.'),
    dollars: z
      .number()
      .positive()
      .max(MOST_ALLOWED)
      .optional()
      .describe(
        `The most money to spend on models, in US dollars. Defaults to ${DEFAULT_DOLLARS} where prices are known. If you set it, every model needs a price.`,
      ),
    runner_minutes: z
      .number()
      .positive()
      .max(MOST_ALLOWED)
      .default(10_000)
      .describe('The most minutes of runner time to spend.'),
    parallel: z.int().min(1).max(64).default(2).describe('How many candidates run at once.'),
    candidates_per_day: z
      .int()
      .min(1)
      .max(MOST_ALLOWED)
      .default(500)
      .describe('The most candidates to start per day (UTC), on GitHub.'),
    open_prs: z.int().min(0).max(20).default(3).describe('The most open pull requests of a campaign.'),
    checkpoint: z
      .int()
      .min(1)
      .max(MOST_ALLOWED)
      .optional()
      .describe('Pause after every n candidates until a maintainer resumes. Defaults to never.'),
    dry_run: z.boolean().default(false).describe('Measure the baseline and its noise, then stop.'),
    same_failure: z
      .int()
      .min(1)
      .max(MOST_ALLOWED)
      .default(25)
      .describe(
        'Pause after this many failures in a row for the same reason, or sooner when the agent or the infrastructure fails repeatedly.',
      ),
  })
  .prefault({})
  .describe('What the campaign may spend.')
