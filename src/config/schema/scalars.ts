import * as z from 'zod'
import { MAX_NAME_CHARACTERS, METRIC_NAME } from '../../core/measuring/objective.ts'
import { LARGEST_METRIC } from '../../core/number-bounds.ts'

/** A shell line, run by `sh -c`. A NUL byte would make the spawn itself fail. */
export const shellLine = z
  .string()
  .trim()
  .min(1)
  .max(4000)
  .regex(/^[^\0]*$/, 'must not contain a NUL byte')

/** A path pattern as in .gitignore, from the repository's root. */
export const glob = z
  .string()
  .min(1)
  .max(500)
  .regex(/^[^/]/, 'must not start with "/"')
  .regex(/^[^!]/, 'must not start with "!"')
  .regex(/^(?!\.\/)/, 'must not start with "./"')
  .regex(/^(?!([\s\S]*\/)?\.\.(\/|$))/, 'must not contain ".."')
  .describe(
    'A path pattern from the repository\'s root, such as "src/**" or "*.ts". To exclude paths, list them under scope.protected.',
  )

/** A file inside the repository, posix and relative. */
export const relativePath = z
  .string()
  .min(1)
  .max(500)
  .regex(/^[^/]/, 'must not start with "/"')
  .regex(/^[^\\]*$/, 'must not contain a backslash')
  .regex(/^(?!([\s\S]*\/)?\.\.(\/|$))/, 'must not contain ".."')
  .describe('A path from the repository\'s root with "/" between folders, such as "bench/run.mjs".')

/** A metric's name as the evaluator prints it. */
export const metricName = z
  .string()
  .max(MAX_NAME_CHARACTERS)
  .regex(METRIC_NAME, 'must be one line without control characters')
  .describe('The metric\'s name, as the measuring command prints it, such as "ops_per_s".')

/** A bound or target for a metric. */
export const metricValue = z
  .number()
  .refine((value) => Math.abs(value) <= LARGEST_METRIC, `must be within ±${LARGEST_METRIC}`)

// A day: long enough for any evaluation, and far below the largest delay a Node timer can hold.
export const timeoutSeconds = z.int().min(1).max(86_400)

/** Names of environment variables. */
export const environmentNames = z.array(
  z
    .string()
    .max(200)
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable'),
)

/** The name of a campaign; it becomes part of branch names. */
export const campaignName = z
  .string()
  .regex(/^[a-z0-9-]{1,40}$/, 'must be 1 to 40 characters of a-z, 0-9 and "-"')
