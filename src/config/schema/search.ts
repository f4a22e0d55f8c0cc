import * as z from 'zod'
import { ARCHIVE_KINDS } from '../../core/archive/cells.ts'
import { POLICIES } from '../../core/campaign/engine-config.ts'
import { LENSES, OPERATOR_WEIGHTS } from '../../core/planning/operators.ts'
import { CHANGE_AXES, DESCRIPTOR_MODES } from '../../core/space/descriptor.ts'
import { embedderSchema } from './embedder.ts'
import { metricName } from './scalars.ts'

const metricAxisSchema = z
  .strictObject({
    metric: metricName,
    min: z.number().describe("The axis' lower end; smaller values count as this."),
    max: z.number().describe("The axis' upper end; larger values count as this."),
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

// Placing more centres takes longer than a person waits for a campaign to begin.
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
          params: { hint: 'Two equal axes tell no candidates apart: delete one.' },
        })
      seen.add(key)
    }
  })

const weight = z.number().min(0).max(1000)

const operatorsSchema = z
  .strictObject({
    mutate: weight.default(OPERATOR_WEIGHTS.mutate).describe('One focused change of a parent.'),
    crossover: weight
      .default(OPERATOR_WEIGHTS.crossover)
      .describe('The ideas of a parent and of an inspiration together.'),
    fresh: weight.default(OPERATOR_WEIGHTS.fresh).describe('From the root, by another approach.'),
    structural: weight
      .default(OPERATOR_WEIGHTS.structural)
      .describe('Another structure: split, merge, extract, inline, parallelise, cache, stratify.'),
    repair: weight
      .default(OPERATOR_WEIGHTS.repair)
      .describe('The idea of a candidate that failed, once more, with what went wrong.'),
  })
  .prefault({})

const LENS_NAMES = LENSES.map(({ name }) => name)

const lensSchema = z.union([
  z.enum(LENS_NAMES),
  z.strictObject({
    name: z.string().regex(/^[a-z0-9-]{1,40}$/, 'must be 1 to 40 characters of a-z, 0-9 and "-"'),
    ask: z.string().trim().min(1).max(500).describe('What the agent is asked to look at.'),
  }),
])

export const searchSchema = z
  .strictObject({
    policy: z
      .enum(POLICIES)
      .default('qd')
      .describe(
        'Whom to breed from: the elites of all niches (qd), the best candidate (champion), or always the root (independent).',
      ),
    seed: z.int().min(0).default(1).describe('The same seed repeats the same search.'),
    window: z
      .int()
      .min(1)
      .max(64)
      .default(8)
      .describe('How many candidates may be under way before a result steers the search.'),
    archive: z
      .enum(ARCHIVE_KINDS)
      .default('grid')
      .describe(
        'How niches are cut: the boxes of an even grid (grid), or as many regions of about equal size as there are cells, each around a centre (cvt).',
      ),
    cells: z
      .int()
      .min(4)
      .max(4096)
      .optional()
      .describe('How many niches an archive has. By default it follows limits.candidates.'),
    warm_up: z
      .int()
      .min(1)
      .optional()
      .describe('How many first candidates start from the root. By default it follows limits.candidates.'),
    front: z
      .int()
      .min(1)
      .max(16)
      .default(4)
      .describe(
        'With several objectives, how many elites a niche may hold that are better than each other in different ways. With 1 the first objective decides and later ones break ties.',
      ),
    islands: z
      .int()
      .min(1)
      .max(16)
      .default(1)
      .describe(
        'How many archives there are beside each other. Candidates take turns; each is bred on one island.',
      ),
    migrate_every: z
      .int()
      .min(1)
      .default(5)
      .describe(
        'Every so many candidates of an island, one inspiration is an elite of the neighbouring island.',
      ),
    inspirations: z
      .int()
      .min(0)
      .max(8)
      .default(3)
      .describe('How many other elites an agent is shown beside the parent.'),
    operators: operatorsSchema.describe(
      'How often each operator is used after the warm-up, relative to the others.',
    ),
    lenses: z
      .array(lensSchema.describe('The name of a built-in lens, or a mapping of name and ask.'))
      .min(1)
      .max(50)
      .default(LENS_NAMES)
      .describe('What agents are asked to look at; the warm-up goes through them in order.'),
    plateau: z
      .int()
      .min(1)
      .optional()
      .describe('Stop after this many candidates in a row without a better best. By default never.'),
    descriptor: z
      .enum(DESCRIPTOR_MODES)
      .optional()
      .describe(
        'What tells niches apart: learned axes of the difference from the root (delta) or of the whole repository (repo_state), before those of axes; or axes alone (metrics). By default delta, with axes metrics.',
      ),
    learned_axes: z
      .int()
      .min(2)
      .max(MAX_AXES)
      .default(2)
      .describe(
        'How many axes are learned, if those of axes leave room. Two can be drawn as a map; three tell more kinds apart, with fewer candidates a niche.',
      ),
    axes: axesSchema
      .optional()
      .describe('Up to three axes of your own; each is {metric, min, max} or {change}.'),
    embedder: embedderSchema,
  })
  .superRefine(({ descriptor, axes = [], archive, cells }, context) => {
    if (archive === 'cvt' && cells !== undefined && cells > MAX_CVT_CELLS)
      context.addIssue({
        code: 'custom',
        path: ['cells'],
        message: `must be at most ${MAX_CVT_CELLS} in a cvt archive`,
        params: { hint: 'Take fewer cells, or set search.archive to grid.' },
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
  .describe('How the search goes on.')
