import * as z from 'zod'
import type { Usage } from '../core/budget/budget.ts'
import type { ParentRef } from '../core/campaign/job.ts'
import type { CommitCard } from '../core/candidate/commit-card.ts'
import type { HeldOut } from '../core/measuring/held-out.ts'
import { type Sample, STAGES, SUBJECTS, type ValueInterval } from '../core/measuring/measurement.ts'
import type { Noise } from '../core/measuring/noise.ts'
import { MAX_NAME_CHARACTERS, METRIC_NAME, type Metrics, type Value } from '../core/measuring/objective.ts'
import type { RunnerFacts, UsedIsolation } from '../core/measuring/provenance.ts'
import { MOST_PER_RUN } from '../core/number-bounds.ts'
import type { ChangeStats } from '../core/space/descriptor.ts'

/** Pieces that several documents share. JSON has no NaN or infinity, so every number here is finite. */
export const objectId = z.string().regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/, 'must be a full object id')
export const ordinal = z.int().nonnegative()
export const count = z.int().nonnegative()
export const metrics: z.ZodType<Metrics> = z.record(
  z.string().max(MAX_NAME_CHARACTERS).regex(METRIC_NAME),
  z.number(),
)

export const value: z.ZodType<Value> = z.array(z.number())
export const interval: z.ZodType<ValueInterval> = z.strictObject({ low: value, high: value })

export const heldOut: z.ZodType<HeldOut> = z.strictObject({
  gain: z.number(),
  shown: z.number(),
  absolute: z.literal(true).optional(),
  most: z.number().optional(),
})

export const noise: z.ZodType<Noise> = z.strictObject({
  metric: z.string().max(MAX_NAME_CHARACTERS).optional(),
  spread: z.number().nonnegative(),
  resolvable: z.number().nonnegative(),
  selfTest: z.strictObject({ estimate: z.number(), low: z.number(), high: z.number() }),
})

/** One run of the measuring command. */
export const sample: z.ZodType<Sample> = z.strictObject({
  subject: z.enum(SUBJECTS),
  stage: z.enum(STAGES),
  metrics,
})

export const change: z.ZodType<ChangeStats> = z.strictObject({
  files: count,
  linesAdded: count,
  linesRemoved: count,
})

export const card: z.ZodType<CommitCard> = z.strictObject({
  files: count,
  highlights: z
    .array(z.strictObject({ path: z.string().max(4096), linesAdded: count, linesRemoved: count }))
    .max(8),
})

/** The name of an island. */
export const island = z.string().regex(/^[a-z0-9-]{1,40}$/)

/** The name of a lens. */
export const lens = z.string().regex(/^[a-z0-9-]{1,40}$/)

export const usage: z.ZodType<Usage> = z.strictObject({
  tokens: z.number().nonnegative(),
  dollars: z.number().nonnegative(),
  runnerMs: z.number().nonnegative(),
  unpricedTokens: z.number().nonnegative().optional(),
})

const claimed = z.number().nonnegative().max(MOST_PER_RUN)

/** The cost of one run, as its artifact claims. */
export const runUsage: z.ZodType<Usage> = z.strictObject({
  tokens: claimed,
  dollars: claimed,
  runnerMs: claimed,
  unpricedTokens: claimed.optional(),
})

/** How candidate code was isolated: in its own namespaces, as another user, or not at all. */
export const isolation: z.ZodType<UsedIsolation> = z.strictObject({
  level: z.enum(['namespace', 'user', 'none']),
  network: z.enum(['none', 'host']),
  user: z.literal('own').optional(),
})

export const runnerFacts: z.ZodType<RunnerFacts> = z.strictObject({
  image: z.string().max(100).optional(),
  label: z.string().max(200).optional(),
})

export const parentRef: z.ZodType<ParentRef> = z.strictObject({ ordinal, commit: objectId, tree: objectId })
