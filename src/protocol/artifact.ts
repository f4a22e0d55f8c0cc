import * as z from 'zod'
import { boundValues } from '../core/count-values.ts'
import { RUN_KINDS } from './dispatch.ts'

/** The outcome of reading an artifact. It comes from a machine that ran a candidate, so it may be unreadable. */
export type ArtifactReading<T> =
  | { readonly status: 'read'; readonly document: T }
  | { readonly status: 'unreadable'; readonly detail: string }

/** The version of the artifact format. A reader accepts only its own version. */
export const ARTIFACT_SCHEMA = 1

const DETAIL_CHARACTERS = 1000
const MAX_ISSUES = 5

/** What an artifact may hold. */
export interface ArtifactLimits {
  readonly documentBytes: number
  /** Values at all depths. Checking one against a schema takes microseconds, so bytes alone do not bound the time. */
  readonly documentValues: number
}

/** Reads the JSON document of an artifact. It guesses and repairs nothing. */
export function readArtifact<T>(
  bytes: Uint8Array,
  { documentBytes: maxBytes, documentValues }: ArtifactLimits,
  schema: z.ZodType<T>,
): ArtifactReading<T> {
  if (bytes.length > maxBytes) return unreadable(`it has ${bytes.length} bytes, more than ${maxBytes}`)
  if (boundValues(bytes, documentValues) > documentValues)
    return unreadable(`it holds more than ${documentValues} values`)
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return unreadable('it is not JSON in UTF-8')
  }
  const result = schema.safeParse(value)
  if (result.success) return { status: 'read', document: result.data }
  return unreadable(describeIssues(result.error))
}

/** The first problems of a document in one line. A hostile one may have hundreds of thousands. */
export function describeIssues({ issues }: z.ZodError): string {
  const listed = z.prettifyError(new z.ZodError(issues.slice(0, MAX_ISSUES))).replaceAll(/\s*\n\s*/g, ' ')
  return issues.length > MAX_ISSUES ? `${listed} and ${issues.length - MAX_ISSUES} more problems` : listed
}

function unreadable(detail: string): { readonly status: 'unreadable'; readonly detail: string } {
  return { status: 'unreadable', detail: detail.slice(0, DETAIL_CHARACTERS) }
}

/** The run that made an artifact. A reader compares it with what it dispatched. */
export const dispatchFacts = {
  kind: z.enum(RUN_KINDS),
  candidate: z.string().max(60),
  /** Of the job; 1 where there is none. */
  attempt: z.int().min(1).max(1000),
  nonce: z.string().max(64),
}

// Characters that a terminal, a log or a Markdown page would interpret. Tabs and line feeds are text.
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|\p{Cs}/u

/** Text from a runner: bounded, without control characters. It is data, never an instruction. */
export function plainText(maxCharacters: number) {
  return z
    .string()
    .max(maxCharacters)
    .refine((text) => !CONTROL.test(text), 'must not hold control characters')
}
