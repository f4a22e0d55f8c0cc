import * as z from 'zod'
import { ARCHIVE_KINDS } from '../../core/archive/cells.ts'
import { POLICIES } from '../../core/campaign/engine-config.ts'
import { LENSES, OPERATOR_WEIGHTS } from '../../core/planning/operators.ts'
import { CHANGE_AXES, DESCRIPTOR_MODES } from '../../core/space/descriptor.ts'
import { embedderSchema } from './embedder.ts'
import { metricName, metricValue } from './scalars.ts'

const metricAxisSchema = z
  .strictObject({
    metric: metricName,
    min: metricValue.describe('The lower end of the axis. Smaller values count as this.'),
    max: metricValue.describe('The upper end of the axis. Larger values count as this.'),
  })
  .superRefine(({ min, max }, context) => {
    if (min >= max)
      context.addIssue({
        code: 'custom',
        path: ['max'],
        message: `must be more than min (${min})`,
        params: { hint: 'Swap min and max, or widen the axis.' },
      })
  })

const changeAxisSchema = z.strictObject({
  change: z
    .enum(CHANGE_AXES)
    .describe(
      'A statistic of the change: lines touched (churn), net lines added (growth), files touched (spread).',
    ),
})

// Placing more centres would delay the start of a campaign noticeably.
const MAX_CVT_CELLS = 1024

/** More would have too few candidates in each niche. */
export const MAX_AXES = 3

const axesSchema = z
  .array(
    z
      .union([metricAxisSchema, changeAxisSchema])
      .describe('Either {metric, min, max}, or {change: churn | growth | spread}.'),
  )
  .min(1)
  .max(MAX_AXES)
  .superRefine((axes, context) => {
    const seen = new Set<string>()
    for (const [index, axis] of axes.entries()) {
      const key = 'metric' in axis ? `metric ${axis.metric}` : `change ${axis.change}`
      if (seen.has(key))
        context.addIssue({
          code: 'custom',
          path: [index],
          message: `is the same axis as an earlier one (${key})`,
          params: { hint: 'Two equal axes distinguish nothing. Delete one.' },
        })
      seen.add(key)
    }
  })

const weight = z.number().min(0).max(1000)

const operatorsSchema = z
  .strictObject({
    mutate: weight.default(OPERATOR_WEIGHTS.mutate).describe('One focused change to a parent.'),
    crossover: weight
      .default(OPERATOR_WEIGHTS.crossover)
      .describe('Combines the ideas of a parent and an inspiration.'),
    fresh: weight.default(OPERATOR_WEIGHTS.fresh).describe('A new approach, from the root.'),
    structural: weight
      .default(OPERATOR_WEIGHTS.structural)
      .describe('A new structure: split, merge, extract, inline, parallelise, cache, stratify.'),
    repair: weight
      .default(OPERATOR_WEIGHTS.repair)
      .describe('Retries the idea of a failed candidate, knowing what went wrong.'),
  })
  .prefault({})

const LENS_NAMES = LENSES.map(({ name }) => name)

const lensSchema = z.union([
  z.enum(LENS_NAMES),
  z.strictObject({
    name: z.string().regex(/^[a-z0-9-]{1,40}$/, 'must be 1 to 40 characters of a-z, 0-9 and "-"'),
    ask: z.string().trim().min(1).max(500).describe('What the agent should focus on.'),
  }),
])

export const searchSchema = z
  .strictObject({
    policy: z
      .enum(POLICIES)
      .default('qd')
      .describe(
        'Where parents come from: the best estimate so far, crossed with proven donors (adaptive), the elites of all niches (qd), the candidate that is surely the best (champion), or always the root (independent).',
      ),
    independent_share: z
      .number()
      .min(0)
      .max(0.5)
      .default(0.1)
      .describe(
        'The share of the candidates that start from the root and see nothing of the search, so that the report can tell what the search added. The warm-up counts towards it. Only with the policy adaptive.',
      ),
    seed: z.int().min(0).default(1).describe('The random seed. The same seed repeats the same search.'),
    window: z
      .int()
      .min(1)
      .max(64)
      .default(8)
      .describe('How many candidates may be in flight before a result steers the search.'),
    archive: z
      .enum(ARCHIVE_KINDS)
      .default('grid')
      .describe(
        'How niches are formed: the boxes of an even grid (grid), or regions of about equal size around centres (cvt).',
      ),
    cells: z
      .int()
      .min(4)
      .max(4096)
      .optional()
      .describe('The number of niches. Defaults to a value that follows limits.candidates.'),
    warm_up: z
      .int()
      .min(1)
      .optional()
      .describe(
        'How many of the first candidates start from the root. Defaults to a value that follows limits.candidates.',
      ),
    front: z
      .int()
      .min(1)
      .max(16)
      .default(4)
      .describe(
        'With several objectives, how many trade-offs a niche may keep. With 1, the first objective decides and later ones break ties.',
      ),
    islands: z
      .int()
      .min(1)
      .max(16)
      .default(1)
      .describe('The number of separate archives. Each candidate belongs to one island, in rotation.'),
    migrate_every: z
      .int()
      .min(1)
      .default(5)
      .describe('Every n candidates of an island, one inspiration comes from the neighbouring island.'),
    inspirations: z
      .int()
      .min(0)
      .max(8)
      .default(3)
      .describe('How many other elites the agent sees besides the parent.'),
    operators: operatorsSchema.describe(
      'How often each operator is used after the warm-up, relative to the others.',
    ),
    lenses: z
      .array(lensSchema.describe('The name of a built-in lens, or a mapping of name and ask.'))
      .min(1)
      .max(50)
      .default(LENS_NAMES)
      .describe('What agents should focus on. The warm-up goes through them in order.'),
    plateau: z
      .int()
      .min(1)
      .optional()
      .describe('Stop after this many candidates in a row without a new best. Defaults to never.'),
    descriptor: z
      .enum(DESCRIPTOR_MODES)
      .optional()
      .describe(
        'What distinguishes niches: learned axes of the difference from the root (delta) or of the whole repository (repo_state), followed by your own axes; or only your own axes (metrics). Defaults to metrics if axes are set, else to delta.',
      ),
    learned_axes: z
      .int()
      .min(2)
      .max(MAX_AXES)
      .default(2)
      .describe(
        'How many axes to learn, as far as your own axes leave room. Two can be drawn as a map. Three distinguish more kinds, with fewer candidates per niche.',
      ),
    axes: axesSchema
      .optional()
      .describe('Up to three axes of your own, each {metric, min, max} or {change}.'),
    embedder: embedderSchema,
  })
  .superRefine(({ descriptor, axes = [], archive, cells }, context) => {
    if (archive === 'cvt' && cells !== undefined && cells > MAX_CVT_CELLS)
      context.addIssue({
        code: 'custom',
        path: ['cells'],
        message: `must be at most ${MAX_CVT_CELLS} in a cvt archive`,
        params: { hint: 'Use fewer cells, or set search.archive to grid.' },
      })
    if (descriptor !== undefined && descriptor !== 'metrics' && axes.length === MAX_AXES)
      context.addIssue({
        code: 'custom',
        path: ['axes'],
        message: `must leave room for a learned axis: there are at most ${MAX_AXES}`,
        params: { hint: 'Delete an axis, or set search.descriptor to metrics.' },
      })
  })
  .prefault({})
  .describe('How the search works.')
