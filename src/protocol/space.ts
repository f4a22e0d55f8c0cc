import * as z from 'zod'
import { decodeVector, type Embedding, LABEL_CHARACTERS } from '../core/space/embedding.ts'
import { LEFT_OUT_REASONS, type LeftOut } from '../core/space/left-out.ts'
import type { Projection } from '../core/space/projection.ts'
import { plainText } from './artifact.ts'
import { count, ordinal } from './shapes.ts'

// Text from a runner that becomes the name of an axis: one line without control characters.
const label = plainText(LABEL_CHARACTERS).refine((text) => !/[\t\n]/.test(text), 'must be one line')
const name = z.string().max(1024)

/** The number of files excluded from a vector, by reason. */
export const leftOut: z.ZodType<LeftOut> = z.partialRecord(z.enum(LEFT_OUT_REASONS), count)

const fields = {
  vector: z
    .string()
    .max(8192)
    .refine((text) => decodeVector(text) !== undefined, 'must be a vector'),
  files: z.array(label).max(10),
  terms: z.array(label).max(10),
  leftOut: leftOut.optional(),
}

/** A candidate's embedding. */
export const embedding: z.ZodType<Embedding> = z.strictObject(fields)

/** One line of vectors/NNN.jsonl. */
export const vectorLine: z.ZodType<Embedding & { readonly ordinal: number }> = z.strictObject({
  ordinal,
  ...fields,
})

const numbers = z.array(z.number())

/** projection.json without its schema version. */
export const projection: z.ZodType<Projection> = z.strictObject({
  version: count,
  fittedAt: count,
  mean: numbers,
  axes: z.array(numbers),
  bounds: z.strictObject({ first: numbers, others: z.array(z.array(numbers)) }),
  names: z.array(z.strictObject({ low: name, high: name })),
  kept: z.number(),
})
