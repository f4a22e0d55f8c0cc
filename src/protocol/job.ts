import * as z from 'zod'
import type { Job, JobResult } from '../core/campaign/job.ts'
import { CONFIRM_PURPOSES, JOB_KINDS } from '../core/campaign/job.ts'
import { FAILURE_REASONS } from '../core/measuring/verdict.ts'
import { OPERATORS } from '../core/planning/operators.ts'
import {
  card,
  change,
  island,
  isolation,
  lens,
  metrics,
  objectId,
  ordinal,
  parentRef,
  runnerFacts,
  sample,
  usage,
} from './shapes.ts'
import { embedding } from './space.ts'

const text = z.string().max(10_000)

const jobResult: z.ZodType<JobResult> = z.discriminatedUnion('status', [
  z.strictObject({
    status: z.literal('measured'),
    commit: objectId,
    tree: objectId,
    metrics,
    samples: z.array(sample),
    change,
    embedding: embedding.optional(),
    card: card.optional(),
    summary: text,
    isolation: isolation.optional(),
    runner: runnerFacts.optional(),
    usage,
  }),
  z.strictObject({
    status: z.literal('failed'),
    reason: z.enum(FAILURE_REASONS),
    detail: text,
    tree: objectId.optional(),
    summary: text.optional(),
    usage,
  }),
  z.strictObject({ status: z.literal('duplicate'), tree: objectId, summary: text, usage }),
])

/** jobs/<ordinal>.json without its schema version. */
export const job: z.ZodType<Job> = z.strictObject({
  ordinal,
  attempt: z.int().positive(),
  kind: z.enum(JOB_KINDS),
  operator: z.enum(OPERATORS),
  lens: lens.optional(),
  island: island.optional(),
  parent: parentRef,
  inspirations: z.array(parentRef),
  independent: z.literal(true).optional(),
  seen: ordinal.optional(),
  repairs: ordinal.optional(),
  purpose: z.enum(CONFIRM_PURPOSES).optional(),
  describes: z.literal(true).optional(),
  rival: parentRef.optional(),
  claimedBy: z.string().max(64).optional(),
  run: z.int().positive().optional(),
  result: jobResult.optional(),
})
