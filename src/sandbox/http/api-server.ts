import { createHash, randomUUID } from 'node:crypto'
import { type Actor, actorKey } from '../access/actor.ts'
import { authenticate } from '../access/authenticate.ts'
import { assertAccess, assertKind } from '../access/permissions.ts'
import type { Box, Call, Route } from '../box.ts'
import type { Complaint, Operation } from '../contract/contract.ts'
import { findRepository } from '../state/lookups.ts'
import { ApiError, notFound } from './errors.ts'
import type { RequestFaults } from './faults.ts'
import { Fields } from './fields.ts'
import { recordMalformed } from './malformed.ts'
import type { Reply } from './reply.ts'
import { type Match, Router } from './router.ts'

/** A request with its body. */
export interface ApiRequest {
  readonly method: string
  /** The path below the API's root, still encoded. */
  readonly pathname: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Buffer
  /** True for calls by the web page, which have no rate limits or faults. */
  readonly fromPage?: boolean
}

export interface ApiAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

const DOCS = 'https://docs.github.com/rest'

/**
 * Serves the API: routes, authenticates, checks permission and contract, calls the handler, checks the answer.
 */
export class ApiServer {
  readonly #box: Box
  readonly #router: Router
  readonly #faults: RequestFaults

  constructor(box: Box, faults: RequestFaults) {
    this.#box = box
    this.#faults = faults
    const routes = box.families.flatMap((family) => family.routes)
    for (const route of routes) assertDescribed(box, route)
    this.#router = new Router(routes)
  }

  async answer(request: ApiRequest): Promise<ApiAnswer> {
    const match = this.#router.find(request.method, request.pathname)
    const operation = match === undefined ? undefined : findOperation(this.#box, match.route)
    let actor: Actor = { kind: 'anonymous' }
    let reply: Reply
    try {
      actor = authenticate(this.#box, request.headers.authorization)
      if (match === undefined) throw this.#unserved(request, actor)
      reply = request.fromPage
        ? await this.#recorded(request, match, actor)
        : await this.#limited(request, match, actor)
    } catch (error) {
      reply = this.#renderError(request, operation, error)
    }
    if (operation !== undefined) this.#checkReply(request, operation, reply)
    return this.#finish(request, reply, actor)
  }

  async #limited(request: ApiRequest, match: Match, actor: Actor): Promise<Reply> {
    const key = actorKey(actor)
    const isFree = match.route.template === '/rate_limit'
    if (!isFree) this.#box.limits.spendPrimary(key, resourceOf(request))
    const leave = this.#box.limits.enter(key, isWrite(request.method))
    try {
      return await this.#faulty(request, match, actor)
    } finally {
      leave()
    }
  }

  async #faulty(request: ApiRequest, match: Match, actor: Actor): Promise<Reply> {
    await this.#faults.beforeWork()
    const readKey = `${actorKey(actor)} ${request.url.href}`
    const stale = request.method === 'GET' ? this.#faults.findStale(readKey) : undefined
    if (stale !== undefined) return stale
    const reply = await this.#recorded(request, match, actor)
    if (request.method === 'GET') this.#faults.recordRead(readKey, reply)
    this.#faults.afterWork()
    return reply
  }

  // Any write makes earlier reads stale.
  async #recorded(request: ApiRequest, match: Match, actor: Actor): Promise<Reply> {
    const reply = await this.#work(request, match, actor)
    if (isWrite(request.method)) this.#faults.recordWrite()
    return reply
  }

  async #work(request: ApiRequest, { route, path }: Match, actor: Actor): Promise<Reply> {
    const box = this.#box
    const repo =
      route.kind === 'repository'
        ? findRepository(box.store, String(path.owner), String(path.repo))
        : undefined
    if (route.kind === 'general') assertKind(actor, route.who)
    else if (repo === undefined) throw notFound()
    else assertAccess(actor, repo, route.access, isWrite(request.method))
    const call = this.#readCall(request, { route, path }, actor)
    if (route.kind === 'general') return await route.handle(call)
    if (repo === undefined) throw notFound()
    return await route.handle({ ...call, repo, git: await box.git.get(repo.id) })
  }

  #readCall(request: ApiRequest, { route, path }: Match, actor: Actor): Call {
    const operation = findOperation(this.#box, route)
    const query: Record<string, unknown> = Object.fromEntries(request.url.searchParams)
    const body = parseBody(request)
    if (operation !== undefined) {
      const { contract } = this.#box
      const unknown = (part: 'query' | 'body', values: unknown): Complaint[] =>
        contract
          .findUnknown(operation, part, values)
          .map((name) => ({ path: `/${name}`, message: 'is unknown' }))
      const inPath = contract.checkParameters(operation, 'path', path)
      const inQuery = contract.checkParameters(operation, 'query', query)
      const inBody = contract.checkBody(operation, body)
      const all = [...inPath, ...inQuery, ...unknown('query', query), ...inBody, ...unknown('body', body)]
      recordMalformed(this.#box, { request, actor, complaints: all })
      if (inPath.length > 0) throw notFound()
      assertValid(inQuery)
      assertValid(inBody)
    }
    return {
      box: this.#box,
      actor,
      method: request.method,
      url: request.url,
      path: new Fields(path),
      query: new Fields(query),
      body: new Fields(Array.isArray(body) ? { items: body } : body),
      media: readMedia(request.headers.accept),
    }
  }

  #unserved(request: ApiRequest, actor: Actor): ApiError {
    const complaints = [{ path: '', message: 'no such operation' }]
    recordMalformed(this.#box, { request, actor, complaints })
    return notFound()
  }

  #renderError(request: ApiRequest, operation: Operation | undefined, error: unknown): Reply {
    if (!(error instanceof ApiError)) {
      const said = error instanceof Error ? (error.stack ?? error.message) : String(error)
      this.#box.reportDeviation(`${request.method} ${request.pathname} threw: ${said}`)
    }
    const known = error instanceof ApiError ? error : new ApiError(500, 'Server Error')
    return {
      status: known.status,
      json: {
        message: known.message,
        ...(known.errors === undefined ? {} : { errors: known.errors }),
        documentation_url: operation?.docs ?? DOCS,
        status: String(known.status),
      },
      headers: known.headers,
    }
  }

  #checkReply(request: ApiRequest, operation: Operation, reply: Reply): void {
    if (reply.content !== undefined || reply.status >= 500) return
    for (const deviation of this.#box.contract.checkResponse(operation, reply.status, reply.json)) {
      this.#box.reportDeviation(`${request.method} ${request.pathname} → ${reply.status}: ${deviation}`)
    }
  }

  #finish(request: ApiRequest, reply: Reply, actor: Actor): ApiAnswer {
    const body = reply.content?.bytes ?? (reply.json === undefined ? '' : JSON.stringify(reply.json))
    const etag = `W/"${createHash('sha256').update(body).digest('hex')}"`
    const isRead = request.method === 'GET' && reply.status === 200
    const unchanged = isRead && matchesTag(request.headers['if-none-match'], etag)
    if (unchanged) this.#box.limits.refund(actorKey(actor), resourceOf(request))
    const headers = {
      'x-github-request-id': randomUUID().toUpperCase(),
      'x-github-media-type': 'github.v3; format=json',
      ...this.#rateHeaders(request, actor),
      ...(isRead ? { etag, 'cache-control': 'private, max-age=60, s-maxage=60' } : {}),
      ...reply.headers,
    }
    if (unchanged) return { status: 304, headers, body: '' }
    const type = reply.content?.type ?? 'application/json; charset=utf-8'
    return {
      status: reply.status,
      headers: body === '' ? headers : { ...headers, 'content-type': type },
      body,
    }
  }

  #rateHeaders(request: ApiRequest, actor: Actor): Record<string, string> {
    const state = this.#box.limits.read(actorKey(actor), resourceOf(request))
    return Object.fromEntries(
      Object.entries(state).map(([name, value]) => [`x-ratelimit-${name}`, String(value)]),
    )
  }
}

function findOperation(box: Box, route: Route): Operation | undefined {
  return box.contract.operations[`${route.method} ${route.template}`]
}

function assertDescribed(box: Box, route: Route): void {
  if (route.template === '/graphql' || findOperation(box, route) !== undefined) return
  throw new Error(
    `${route.method} ${route.template} is not in the contract: add it to scripts/contract-selection.ts`,
  )
}

function assertValid(complaints: readonly Complaint[]): void {
  if (complaints.length === 0) return
  const said = complaints
    .slice(0, 5)
    .map(({ path, message }) => `For '${path.slice(1) || 'the body'}', ${message}.`)
  throw new ApiError(422, `Invalid request.\n\n${said.join('\n')}`)
}

function parseBody(request: ApiRequest): unknown {
  if (request.body.length === 0) return undefined
  try {
    return JSON.parse(request.body.toString('utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) throw new ApiError(400, 'Problems parsing JSON')
    throw error
  }
}

function readMedia(accept: string | undefined): string {
  return /application\/vnd\.github(?:\.v3)?\.([a-z]+)/.exec(accept ?? '')?.[1] ?? 'json'
}

function matchesTag(header: string | undefined, etag: string): boolean {
  const plain = (tag: string): string => tag.trim().replace(/^W\//, '')
  return (header ?? '').split(',').some((tag) => plain(tag) === plain(etag))
}

function resourceOf(request: ApiRequest): string {
  return request.pathname === '/graphql' ? 'graphql' : 'core'
}

function isWrite(method: string): boolean {
  return method !== 'GET' && method !== 'HEAD'
}
