import * as z from 'zod'

/** Why a request gave no answer. */
export type Failure =
  /** GitHub said no, with a status below 500. */
  | { readonly type: 'refused'; readonly http: number; readonly message: string }
  | { readonly type: 'unchanged' }
  /** A rate limit; `waitMs` is undefined when GitHub did not say how long to wait. */
  | { readonly type: 'limited'; readonly waitMs: number | undefined; readonly message: string }
  /** GitHub failed or was unreachable: whether it did the work is unknown. */
  | { readonly type: 'broken'; readonly message: string }

const MESSAGE_CHARACTERS = 1000

const header = z.union([z.string(), z.number()]).transform(Number).optional().catch(undefined)

const requestFailure = z.object({
  status: z.number(),
  response: z.object({
    headers: z.object({
      'retry-after': header,
      'x-ratelimit-remaining': header,
      'x-ratelimit-reset': header,
    }),
    data: z.object({ message: z.string() }).optional().catch(undefined),
  }),
})

const graphqlFailure = z.object({
  errors: z.array(z.object({ type: z.string().optional(), message: z.string() })).min(1),
  data: z.record(z.string(), z.unknown()).optional().catch(undefined),
})

const STATUS_OF_TYPE: Readonly<Record<string, number>> = {
  FORBIDDEN: 403,
  INSUFFICIENT_SCOPES: 403,
  NOT_FOUND: 404,
  STALE_DATA: 409,
}

/** Classifies what Octokit throws by status, headers and error type. Anything else is a network failure. */
export function readFailure(error: unknown, nowMs: number): Failure {
  const request = requestFailure.safeParse(error)
  if (request.success) return readRequestFailure(request.data, nowMs)
  const graphql = graphqlFailure.safeParse(error)
  if (!graphql.success) return { type: 'broken', message: cap(String(error)) }
  const [first = { type: undefined, message: '' }] = graphql.data.errors
  const message = cap(first.message)
  // Both limits may come as an error with status 200. With several fields, some may already be done.
  if (first.type === 'RATE_LIMITED' || isSecondaryLimit(message)) {
    const isPartial = Object.values(graphql.data.data ?? {}).some((field) => field !== null)
    return isPartial ? { type: 'broken', message } : { type: 'limited', waitMs: undefined, message }
  }
  return { type: 'refused', http: STATUS_OF_TYPE[first.type ?? ''] ?? 422, message }
}

function readRequestFailure({ status, response }: z.infer<typeof requestFailure>, nowMs: number): Failure {
  const { headers, data } = response
  const message = cap(data?.message ?? `status ${status}`)
  if (status === 304) return { type: 'unchanged' }
  if (status >= 500) return { type: 'broken', message }
  if (status !== 403 && status !== 429) return { type: 'refused', http: status, message }
  const { 'retry-after': after, 'x-ratelimit-remaining': remaining, 'x-ratelimit-reset': reset } = headers
  if (after !== undefined) return { type: 'limited', waitMs: after * 1000, message }
  if (remaining === 0 && reset !== undefined)
    return { type: 'limited', waitMs: Math.max(0, reset * 1000 - nowMs), message }
  return status === 429 || isSecondaryLimit(message)
    ? { type: 'limited', waitMs: undefined, message }
    : { type: 'refused', http: status, message }
}

// Without `retry-after`, only this documented phrase distinguishes a rate limit from a refusal.
function isSecondaryLimit(message: string): boolean {
  return /secondary rate limit/i.test(message)
}

function cap(message: string): string {
  return message.slice(0, MESSAGE_CHARACTERS)
}
