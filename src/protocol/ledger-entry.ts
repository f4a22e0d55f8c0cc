import * as z from 'zod'
import { CELL_REFUSALS } from '../core/archive/archive.ts'
import { JOB_KINDS } from '../core/campaign/job.ts'
import type { LedgerEntry } from '../core/campaign/ledger.ts'
import { FAILURE_REASONS, type Verdict } from '../core/measuring/verdict.ts'
import { OPERATORS } from '../core/planning/operators.ts'
import {
  card,
  change,
  heldOut,
  interval,
  island,
  isolation,
  lens,
  metrics,
  objectId,
  ordinal,
  runnerFacts,
  usage,
  value,
} from './shapes.ts'

const cell = z.string().regex(/^\d+(-\d+)*$/)

const verdict: z.ZodType<Verdict> = z.union([
  z.strictObject({ status: z.literal('admitted'), as: z.literal('new-cell'), cell }),
  z.strictObject({
    status: z.literal('admitted'),
    as: z.literal('improved'),
    cell,
    replaced: ordinal,
    also: z.array(ordinal).optional(),
  }),
  z.strictObject({
    status: z.literal('admitted'),
    as: z.literal('joined'),
    cell,
    dropped: ordinal.optional(),
  }),
  z.strictObject({
    status: z.literal('refused'),
    reason: z.enum(CELL_REFUSALS),
    cell,
    holder: ordinal,
  }),
  z.strictObject({ status: z.literal('refused'), reason: z.literal('duplicate'), of: ordinal }),
  z.strictObject({ status: z.literal('refused'), reason: z.enum(FAILURE_REASONS), detail: z.string() }),
  z.strictObject({ status: z.literal('refused'), reason: z.literal('superseded') }),
  z.strictObject({ status: z.enum(['confirmed', 'overfitted']), of: ordinal }),
  z.strictObject({ status: z.literal('duelled'), of: ordinal, rival: ordinal, won: z.boolean() }),
])

const stageRuns = z.strictObject({ candidate: z.array(value), root: z.array(value) })

/** One line of ledger/NNN.jsonl. */
export const ledgerEntry: z.ZodType<LedgerEntry> = z.strictObject({
  ordinal,
  attempt: z.int().positive(),
  kind: z.enum(JOB_KINDS),
  epoch: z.int().min(2).optional(),
  operator: z.enum(OPERATORS),
  lens: lens.optional(),
  island: island.optional(),
  parent: ordinal,
  independent: z.literal(true).optional(),
  inspirations: z.array(ordinal),
  verdict,
  summary: z.string().optional(),
  tree: objectId.optional(),
  commit: objectId.optional(),
  metrics: metrics.optional(),
  interval: interval.optional(),
  runs: stageRuns
    .extend({ rival: z.array(value).optional(), quick: stageRuns.optional(), heldOut: stageRuns.optional() })
    .optional(),
  heldOut: heldOut.optional(),
  change: change.optional(),
  card: card.optional(),
  isolation: isolation.optional(),
  runner: runnerFacts.optional(),
  run: z.int().positive().optional(),
  usage,
})
