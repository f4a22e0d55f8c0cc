import * as z from 'zod'
import { type Sample, STAGES, SUBJECTS } from '../core/measuring/measurement.ts'
import type { NoiseReport } from '../core/measuring/noise.ts'
import { MAX_NAME_CHARACTERS, METRIC_NAME, type Metrics } from '../core/measuring/objective.ts'
import { FAILURE_REASONS } from '../core/measuring/verdict.ts'
import { isUsableMetric } from '../core/number-bounds.ts'
import { ERROR_CODES } from '../errors.ts'
import { ARTIFACT_SCHEMA, type ArtifactReading, dispatchFacts, plainText, readArtifact } from './artifact.ts'
import { change, count, isolation, metrics as namedNumbers, noise, objectId, runUsage } from './shapes.ts'
import { embedding } from './space.ts'

/** Hard limits of a result. */
export const RESULT_LIMITS = {
  metrics: 64,
  samples: 1000,
  logs: 20,
  logCharacters: 20_000,
  detailCharacters: 4000,
  documentBytes: 4 * 1024 * 1024,
  // As many as all samples with all metrics have, and some more.
  documentValues: 75_000,
} as const

// Checked as a whole first: a problem for each of thousands of wrong entries would take longer than all else.
const metrics: z.ZodType<Metrics> = z
  .custom<unknown>(isMetrics, `must be at most ${RESULT_LIMITS.metrics} named numbers, neither huge nor tiny`)
  .pipe(namedNumbers)

function isMetrics(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  // zod drops the key that would be a prototype.
  const entries = Object.entries(value).filter(([name]) => name !== '__proto__')
  return (
    entries.length <= RESULT_LIMITS.metrics &&
    entries.every(
      ([name, number]) =>
        name.length <= MAX_NAME_CHARACTERS &&
        METRIC_NAME.test(name) &&
        typeof number === 'number' &&
        isUsableMetric(number),
    )
  )
}

/** One run of the evaluator: which files, which stage, and the metrics it printed. */
const sample: z.ZodType<Sample> = z.strictObject({
  subject: z.enum(SUBJECTS),
  stage: z.enum(STAGES),
  metrics,
})

/** How much the root's runs differ, and what that means for a campaign. */
const noiseReport: z.ZodType<NoiseReport> = z.strictObject({
  runs: count,
  deterministic: z.boolean(),
  variation: z.number().nonnegative(),
  noise: noise.optional(),
  smallestGain: z.number().positive(),
  confidence: z.number().positive(),
  maxPairs: count,
  tooNoisy: plainText(RESULT_LIMITS.detailCharacters).optional(),
})

/** The agent's words about a proposal that is not evaluated: nothing binds the artifact `proposal` to such a run. */
const summary = plainText(1000)

const outcome = z.discriminatedUnion('status', [
  z.strictObject({
    status: z.literal('measured'),
    /** The tree that was fixed before the first candidate process started. */
    tree: objectId,
    metrics,
    /** Every run, in the order they ran. */
    samples: z.array(sample).max(RESULT_LIMITS.samples),
    /** Of the root, where axes are learned; a candidate's is in its proposal. */
    embedding: embedding.optional(),
    /** The change from the root of a tree that is measured again; a candidate's is in its proposal. */
    change: change.optional(),
    /** Of runs of the root alone: what people should know before they start a campaign. */
    noise: noiseReport.optional(),
  }),
  z.strictObject({
    status: z.literal('failed'),
    reason: z.enum(FAILURE_REASONS),
    /** For `infrastructure`: which fault of ours or the machine's it was. */
    code: z.enum(ERROR_CODES).optional(),
    detail: plainText(RESULT_LIMITS.detailCharacters),
    tree: objectId.optional(),
    summary: summary.optional(),
  }),
  /** The tree was evaluated before, according to the state branch, so nothing ran. */
  z.strictObject({ status: z.literal('duplicate'), tree: objectId, summary: summary.optional() }),
])

const runnerFacts = z.strictObject({
  os: plainText(100),
  arch: plainText(40),
  /** The hosted image and its version, where the runner tells. */
  image: plainText(100),
  cpu: plainText(100),
  cpus: count,
  memoryMb: count,
  node: plainText(40),
})

const resultDocument = z.strictObject({
  schema: z.literal(ARTIFACT_SCHEMA),
  ...dispatchFacts,
  outcome,
  /** SHA-256 of the evaluator: commands, files, lockfiles. Absent if the run failed before. */
  evaluatorDigest: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  /** Absent when no candidate code was started. */
  isolation: isolation.optional(),
  runner: runnerFacts,
  usage: runUsage,
  logs: z
    .array(z.strictObject({ name: plainText(100), text: plainText(RESULT_LIMITS.logCharacters) }))
    .max(RESULT_LIMITS.logs),
})

/** `result.json`, the only file of the artifact `result`. Every run of the workflow ends with it. */
export type ResultDocument = z.infer<typeof resultDocument>

/** How a job ended: measured, failed, or equal to an earlier candidate. */
export type ResultOutcome = ResultDocument['outcome']

/** Reads `result.json`. */
export function readResult(bytes: Uint8Array): ArtifactReading<ResultDocument> {
  return readArtifact(bytes, RESULT_LIMITS, resultDocument)
}
