import * as z from 'zod'

/** Not the schema's own default: who sets a limit wants it held, which takes prices; who sets none may have none. */
export const DEFAULT_DOLLARS = 200

export const limitsSchema = z
  .strictObject({
    candidates: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(100)
      .describe('The most candidates to try; failed ones count.'),
    wall_clock_minutes: z
      .number()
      .positive()
      .optional()
      .describe('The longest the campaign may run, in minutes.'),
    // More than 100 candidates cost at the defaults' most: nobody meets these by accident, and nobody spends without end.
    tokens: z.int().min(1).default(50_000_000).describe('The most model tokens to spend.'),
    dollars: z
      .number()
      .positive()
      .optional()
      .describe(
        `The most money to spend on models, in US dollars. By default ${DEFAULT_DOLLARS}, as far as prices are given; when it is set, every model needs a price.`,
      ),
    runner_minutes: z
      .number()
      .positive()
      .default(10_000)
      .describe('The most minutes of runner time to spend.'),
    parallel: z.int().min(1).max(64).default(2).describe('How many candidates are worked on at once.'),
    candidates_per_day: z
      .int()
      .min(1)
      .default(500)
      .describe('The most candidates to begin on one day (UTC), on GitHub.'),
    open_prs: z
      .int()
      .min(0)
      .max(20)
      .default(3)
      .describe('The most pull requests of a campaign that are open at once.'),
    checkpoint: z
      .int()
      .min(1)
      .optional()
      .describe('Pause after every so many candidates, until a maintainer says to go on. By default never.'),
    dry_run: z.boolean().default(false).describe('Measure the baseline and how much it varies, then stop.'),
    same_failure: z
      .int()
      .min(1)
      .default(25)
      .describe(
        'Pause after this many failures in a row for the same reason; sooner when the agent or the machinery fails in the same way.',
      ),
  })
  .prefault({})
  .describe('What the campaign may spend.')
