import type * as z from 'zod'
import { LoreleyError } from '../../errors.ts'
import type { Clock } from './clock.ts'
import { type Failure, readFailure } from './failures.ts'
import type { Pacer, Priority } from './pacer.ts'

/** The two functions of an authenticated Octokit, without retries and throttling. */
export interface Transport {
  request(route: string, parameters?: Record<string, unknown>): Promise<TransportAnswer>
  graphql(query: string, variables?: Record<string, unknown>): Promise<unknown>
}

export interface TransportAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly data: unknown
}

interface AnyCall<T> {
  /** The schema of the answer. Only the fields in it are used. */
  readonly answer: z.ZodType<T>
  readonly priority: Priority
  /** Idempotent, so it is sent again when GitHub fails. Reads always are. */
  readonly repeatable?: boolean
}

/** A REST request. */
export interface RestCall<T> extends AnyCall<T> {
  readonly route: string
  readonly parameters: Readonly<Record<string, unknown>>
  /** Asked repeatedly: sent with an ETag, so an unchanged answer is free. */
  readonly polled?: boolean
  /** The answer is a stream, for bodies that must be bounded while they are read. */
  readonly streamed?: boolean
}

/** A GraphQL request. */
export interface GraphqlCall<T> extends AnyCall<T> {
  /** Its name in the request counts. */
  readonly name: string
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly writes: boolean
}

export type Outcome<T> =
  | { readonly status: 'done'; readonly value: T }
  | { readonly status: 'refused'; readonly http: number; readonly message: string }
  /** GitHub failed during a request that must not be sent twice. */
  | { readonly status: 'unsure'; readonly message: string }

/** One request, for counts and metrics. */
export interface SentRequest {
  /** Method and route template, or `graphql` and the query's name. */
  readonly kind: string
  readonly writes: boolean
  /** GitHub gave a usable answer; a refusal is one. */
  readonly answered: boolean
}

export interface ClientOptions {
  readonly transport: Transport
  readonly clock: Clock
  /** Shared by all clients of one installation. */
  readonly pacer: Pacer
  /** The longest wait that GitHub may impose before a request is given up. */
  readonly maxWaitMs: number
  readonly onRequest?: (request: SentRequest) => void
}

const TIMEOUT_MS = 15_000
const DOWNLOAD_MS = 60_000
const TRIES = 5
const RETRY_MS = 500
const LIMIT_MS = 60_000
const POLLED_ANSWERS = 500

interface Attempt {
  readonly kind: string
  readonly writes: boolean
  readonly priority: Priority
  readonly repeatable: boolean
  send(): Promise<unknown>
}

/** The API client of one installation: paces requests, waits out limits and never repeats unsafe writes. */
export class ApiClient {
  readonly #options: ClientOptions
  readonly #polled = new Map<string, { readonly etag: string; readonly data: unknown }>()

  constructor(options: ClientOptions) {
    this.#options = options
  }

  /** Sends a request; a refusal is a value. Throws when GitHub is unreachable or its answer is malformed. */
  async ask<T>(call: RestCall<T>): Promise<Outcome<T>> {
    const writes = !call.route.startsWith('GET ')
    const outcome = await this.#attempt({
      kind: call.route,
      writes,
      priority: call.priority,
      repeatable: call.repeatable ?? !writes,
      send: () => this.#request(call),
    })
    return parseOutcome(call.route, call.answer, outcome)
  }

  /** The same for GraphQL. */
  async query<T>(call: GraphqlCall<T>): Promise<Outcome<T>> {
    const { name, query, variables, writes, priority, repeatable = !writes } = call
    const kind = `graphql ${name}`
    const send = () => {
      const request = { signal: AbortSignal.timeout(TIMEOUT_MS) }
      return this.#options.transport.graphql(query, { ...variables, request })
    }
    const outcome = await this.#attempt({ kind, writes, priority, repeatable, send })
    return parseOutcome(kind, call.answer, outcome)
  }

  async #request({ route, parameters, polled, streamed }: RestCall<unknown>): Promise<unknown> {
    const { transport, clock } = this.#options
    const key = `${route} ${JSON.stringify(parameters)}`
    const known = polled === true ? this.#polled.get(key) : undefined
    const headers = known === undefined ? {} : { headers: { 'if-none-match': known.etag } }
    const request = {
      signal: AbortSignal.timeout(streamed === true ? DOWNLOAD_MS : TIMEOUT_MS),
      ...(streamed === true ? { parseSuccessResponseBody: false } : {}),
    }
    try {
      const answer = await transport.request(route, { ...parameters, ...headers, request })
      if (polled === true) this.#remember(key, answer)
      return answer.data
    } catch (error) {
      if (known !== undefined && readFailure(error, clock.now()).type === 'unchanged') return known.data
      throw error
    }
  }

  #remember(key: string, { headers, data }: TransportAnswer): void {
    if (typeof headers.etag !== 'string') return
    this.#polled.delete(key)
    this.#polled.set(key, { etag: headers.etag, data })
    const [oldest] = this.#polled.keys()
    if (this.#polled.size > POLLED_ANSWERS && oldest !== undefined) this.#polled.delete(oldest)
  }

  async #attempt(attempt: Attempt): Promise<Outcome<unknown>> {
    const { clock, pacer } = this.#options
    for (let tried = 1; ; tried++) {
      const answer = await pacer.run(attempt, () => this.#send(attempt))
      if (answer.type === 'answered') return { status: 'done', value: answer.value }
      if (answer.type === 'refused') return { status: 'refused', http: answer.http, message: answer.message }
      if (answer.type === 'limited') await this.#waitOut(attempt.kind, answer, tried)
      else if (!attempt.repeatable) return { status: 'unsure', message: messageOf(answer) }
      else if (tried === TRIES) throw unavailable(attempt.kind, messageOf(answer))
      else await clock.sleep(RETRY_MS * 2 ** tried * (0.5 + clock.jitter()))
    }
  }

  async #send({ kind, writes, send }: Attempt): Promise<Failure | { type: 'answered'; value: unknown }> {
    const { onRequest, clock } = this.#options
    try {
      const value = await send()
      onRequest?.({ kind, writes, answered: true })
      return { type: 'answered', value }
    } catch (error) {
      const failure = readFailure(error, clock.now())
      onRequest?.({ kind, writes, answered: failure.type === 'refused' })
      return failure
    }
  }

  // A rate-limited request did nothing, so even an unsafe write is sent again.
  async #waitOut(kind: string, limit: Extract<Failure, { type: 'limited' }>, tried: number): Promise<void> {
    const { pacer, maxWaitMs, clock } = this.#options
    const waitMs = limit.waitMs ?? LIMIT_MS * 2 ** (tried - 1)
    // GitHub gives whole seconds, clocks differ, and all waiters would return at once: add jitter. Hold even before giving
    // up, because requests during a limit are refused and prolong it.
    await pacer.hold(clock.now() + waitMs + 1000 * (1 + clock.jitter()))
    if (tried === TRIES || waitMs > maxWaitMs) throw unavailable(kind, limit.message)
  }
}

/** The value of a call that must succeed. */
export function expectDone<T>(what: string, outcome: Outcome<T>): T {
  if (outcome.status === 'done') return outcome.value
  if (outcome.status === 'unsure') throw unavailable(what, outcome.message)
  throw new LoreleyError(
    'github-refused',
    `GitHub refused ${what} with status ${outcome.http}: ${outcome.message}`,
    'Check the permissions of the App, the rulesets of the repository, and whether the repository still exists.',
  )
}

function parseOutcome<T>(kind: string, answer: z.ZodType<T>, outcome: Outcome<unknown>): Outcome<T> {
  if (outcome.status !== 'done') return outcome
  const parsed = answer.safeParse(outcome.value)
  if (parsed.success) return { status: 'done', value: parsed.data }
  throw unavailable(kind, 'the answer does not match the documented form', parsed.error)
}

function messageOf(failure: Failure): string {
  return 'message' in failure ? failure.message : failure.type
}

function unavailable(what: string, detail: string, cause?: unknown): LoreleyError {
  return new LoreleyError(
    'github-unavailable',
    `GitHub gave no usable answer to ${what}: ${detail}`,
    'It is tried again at the next reconcile. If this persists, check https://www.githubstatus.com and the rate limits of the installation.',
    cause,
  )
}
