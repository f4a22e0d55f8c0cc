import OpenAI from 'openai'
import { cleanText } from '../../core/clean-text.ts'

/** What went wrong with a request, and whether to retry. */
export type Fault =
  | { readonly kind: 'again'; readonly reason: string; readonly waitMs?: number | undefined }
  /** The request exceeds the model's context. */
  | { readonly kind: 'too-long'; readonly reason: string }
  | { readonly kind: 'final'; readonly reason: string }

const REASON_CHARACTERS = 300
const TOO_LONG_CODES = ['context_length_exceeded', 'context_window_exceeded', 'string_above_max_length']

/** Classifies a client error by status, code and class, never by its message. */
export function readFault(error: unknown): Fault {
  const said = cleanText(error instanceof Error ? error.message : String(error), REASON_CHARACTERS)
  if (error instanceof OpenAI.APIConnectionError)
    return { kind: 'again', reason: `the endpoint cannot be reached: ${said}` }
  if (!(error instanceof OpenAI.APIError)) return { kind: 'again', reason: said }
  const status = typeof error.status === 'number' ? error.status : undefined
  if (status === 413 || TOO_LONG_CODES.includes(error.code ?? ''))
    return { kind: 'too-long', reason: `the request is too long: ${said}` }
  const reason = `the endpoint answered ${said}`
  // No status: an error inside a stream that started well.
  const passes = status === undefined || status === 408 || status === 409 || status === 429 || status >= 500
  const isSpent = error.code === 'insufficient_quota'
  return passes && !isSpent
    ? { kind: 'again', reason, waitMs: readRetryAfter(error.headers) }
    : { kind: 'final', reason }
}

function readRetryAfter(headers: Headers | undefined): number | undefined {
  const ms = Number.parseFloat(headers?.get('retry-after-ms') ?? '')
  if (Number.isFinite(ms)) return ms
  const text = headers?.get('retry-after') ?? ''
  const seconds = Number.parseFloat(text)
  return Number.isFinite(seconds) ? 1000 * seconds : undefined
}
