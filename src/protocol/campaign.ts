import * as z from 'zod'
import type { ArchiveShape } from '../core/archive/cells.ts'
import type { Reserve } from '../core/budget/budget.ts'
import { COMMANDABLE_LIMITS } from '../core/budget/budget.ts'
import type { Campaign } from '../core/campaign/campaign.ts'
import { type Control, PULL_STATUSES, REFUSALS } from '../core/campaign/control.ts'
import { type CampaignStatus, PAUSE_REASONS } from '../core/campaign/status.ts'
import { FAILURE_REASONS } from '../core/measuring/verdict.ts'
import type { Breeding } from '../core/planning/breeding.ts'
import { OPERATORS } from '../core/planning/operators.ts'
import {
  count,
  heldOut,
  interval,
  island,
  metrics,
  noise,
  objectId,
  ordinal,
  parentRef,
  usage,
  value,
} from './shapes.ts'
import { leftOut } from './space.ts'

const stopReason = z.enum([
  'budget-candidates',
  'budget-wall-clock',
  'budget-tokens',
  'budget-dollars',
  'budget-runner-minutes',
  'target-reached',
  'plateau',
  'stopped',
  'dry-run',
])

const status: z.ZodType<CampaignStatus> = z.discriminatedUnion('phase', [
  z.strictObject({ phase: z.enum(['baseline', 'warm-up', 'searching']) }),
  z.strictObject({
    phase: z.literal('paused'),
    reason: z.enum(PAUSE_REASONS),
    detail: z.string(),
  }),
  z.strictObject({ phase: z.literal('finished'), reason: stopReason }),
])

const pull = z.strictObject({
  candidate: parentRef,
  askedBy: z.string().max(100).optional(),
  status: z.enum(PULL_STATUSES),
  number: z.int().positive().optional(),
  confirmation: z
    .strictObject({ metrics, interval: interval.optional(), heldOut: heldOut.optional() })
    .optional(),
  detail: z.string().optional(),
  ciReleased: z.boolean().optional(),
})

const control: z.ZodType<Control> = z.strictObject({
  direction: z.strictObject({ issue: z.int().positive(), title: z.string(), body: z.string() }).optional(),
  confirmed: count,
  checkpointAt: count,
  day: z.strictObject({ date: z.iso.date(), planned: count }).optional(),
  pulls: z.array(pull),
  declined: z.array(ordinal),
  rebuildDue: z.boolean().optional(),
  resumedAt: z.iso.datetime().optional(),
  spoken: z
    .partialRecord(
      z.enum(COMMANDABLE_LIMITS),
      z.strictObject({ amount: z.number().positive(), instead: z.number().optional() }),
    )
    .optional(),
  bests: z.array(z.strictObject({ finished: count, value: z.number() })),
  unchecked: z.array(ordinal),
  finals: z.array(ordinal),
  pressed: z.array(z.string().max(64)).optional(),
  duplicates: z.array(z.int().positive()).optional(),
  unpublished: z
    .array(
      z.strictObject({
        ref: z.string().max(300),
        commit: objectId.optional(),
        reason: z.enum(REFUSALS),
        detail: z.string(),
      }),
    )
    .optional(),
})

const reserve: z.ZodType<Reserve> = z.strictObject({
  tokens: z.number().nonnegative(),
  dollars: z.number().nonnegative(),
  runnerMs: z.number().nonnegative(),
  measuringMs: z.number().nonnegative().optional(),
  pairs: z
    .strictObject({ runnerMs: z.number().nonnegative(), measuringMs: z.number().nonnegative() })
    .optional(),
  unpricedTokens: z.number().nonnegative().optional(),
})

const breeding: z.ZodType<Breeding> = z.strictObject({
  pool: z.array(
    z.strictObject({
      ordinal,
      commit: objectId,
      tree: objectId,
      island: island.optional(),
      value,
      interval: interval.optional(),
      gain: z.number().nonnegative().optional(),
      line: z.array(ordinal),
    }),
  ),
  crossed: z.array(z.string().regex(/^\d+:\d+$/)).max(1000),
  typicalGain: z.number().nonnegative(),
  yields: z.partialRecord(
    z.enum(OPERATORS),
    z.strictObject({ tries: z.number().nonnegative(), gain: z.number().nonnegative() }),
  ),
})

/** campaign.json without its schema version. */
export const campaign: z.ZodType<Campaign> = z.strictObject({
  id: z.string().regex(/^[a-z0-9-]{1,40}$/),
  nonce: z.string().max(64).optional(),
  order: z.enum(['ordinal', 'arrival']),
  window: z.int().positive(),
  warmUp: count,
  epoch: z.int().positive(),
  evaluator: z.string().regex(/^[0-9a-f]{64}$/),
  embedder: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  runnerLabel: z.string().max(200).optional(),
  space: z.strictObject({ since: z.int().positive(), finished: count, described: count }).optional(),
  renewing: z.array(parentRef),
  unplaced: z.array(parentRef).optional(),
  root: z.strictObject({ commit: objectId, tree: objectId, seconds: z.int() }),
  status,
  stopping: stopReason.optional(),
  baseline: z
    .strictObject({ metrics, value, deterministic: z.boolean(), noise: noise.optional() })
    .optional(),
  varies: z.literal(true).optional(),
  nextOrdinal: z.int().positive(),
  finished: count,
  used: usage,
  reserved: reserve,
  activeMs: z.number().nonnegative(),
  lastTickAt: z.iso.datetime().optional(),
  search: z.strictObject({
    children: z.record(z.string().regex(/^\d+$/), count),
    recipes: z.array(z.string()),
    improvedAt: count,
    repairable: z
      .array(z.strictObject({ ordinal, island: island.optional(), parent: parentRef }))
      .default([]),
    sameFailure: z.strictObject({
      reason: z.enum(FAILURE_REASONS).optional(),
      count,
      alike: z
        .array(z.strictObject({ reason: z.enum(FAILURE_REASONS), detail: z.string(), count }))
        .optional(),
    }),
    breeding: breeding.optional(),
    arm: z.strictObject({ draws: count, gains: z.array(z.number().nonnegative()).max(1000) }).optional(),
    leftOut: z.strictObject({ root: leftOut, changes: leftOut }).optional(),
  }),
  control,
})

const elite = z.strictObject({
  ordinal,
  commit: objectId,
  tree: objectId,
  value,
  interval: interval.optional(),
  descriptor: z.array(z.number().min(0).max(1)),
  confirmed: z.literal(true).optional(),
  beats: z.array(ordinal).optional(),
  heldOut: heldOut.optional(),
})

const position = z.array(z.number().min(0).max(1)).min(1)

const shape: z.ZodType<ArchiveShape> = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('grid'), sizes: z.array(z.int().positive()).min(1) }),
  z.strictObject({ kind: z.literal('cvt'), centroids: z.array(position).min(1) }),
])

/** archive.json without its schema version: shape and elites by island and cell. */
export const archive = z.strictObject({
  epoch: z.int().positive(),
  projection: z.int().nonnegative(),
  shape,
  islands: z.record(island, z.record(z.string(), z.array(elite).min(1))),
})

export type ArchiveDocument = z.infer<typeof archive>
