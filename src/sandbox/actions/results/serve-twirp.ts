import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Box } from '../../box.ts'
import { Fields } from '../../http/fields.ts'
import { ARTIFACT_METHODS } from '../artifacts/artifact-service.ts'
import { CACHE_METHODS } from '../caches/cache-service.ts'
import { findJobOfToken } from './runtime-token.ts'
import type { ServiceMethods } from './service.ts'
import { TWIRP_STATUS, TwirpError } from './twirp-error.ts'

const PREFIX = '/twirp/'
const SERVICES: ReadonlyMap<string, ServiceMethods> = new Map([
  ['github.actions.results.api.v1.ArtifactService', ARTIFACT_METHODS],
  ['github.actions.results.api.v1.CacheService', CACHE_METHODS],
])

export function isTwirp(pathname: string): boolean {
  return pathname.startsWith(PREFIX)
}

/** Serves GitHub's results service to actions: JSON over POST, on behalf of a job. */
export async function serveTwirp(
  box: Box,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const body = await text(request)
  const { status, json } = answer(box, { request, url, body })
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(json))
}

function answer(
  box: Box,
  { request, url, body }: { readonly request: IncomingMessage; readonly url: URL; readonly body: string },
): { readonly status: number; readonly json: unknown } {
  try {
    const token = request.headers.authorization?.match(/^Bearer (\S+)$/i)?.[1]
    const job = token === undefined ? undefined : findJobOfToken(box, token)
    if (job === undefined)
      throw new TwirpError('unauthenticated', 'the token is unknown, or its job has ended')
    const { pathname } = url
    const [service = '', name = ''] = pathname.slice(PREFIX.length).split('/')
    const method = SERVICES.get(service)?.get(name)
    if (method === undefined || request.method !== 'POST') {
      throw new TwirpError('bad_route', `the sandbox does not serve ${request.method} ${pathname}`)
    }
    return { status: 200, json: method({ box, job, fields: parseFields(body) }) }
  } catch (error) {
    if (!(error instanceof TwirpError)) throw error
    return { status: TWIRP_STATUS[error.code], json: { code: error.code, msg: error.message } }
  }
}

function parseFields(body: string): Fields {
  try {
    return new Fields(JSON.parse(body))
  } catch (error) {
    if (error instanceof SyntaxError) throw new TwirpError('malformed', 'the body is not JSON')
    throw error
  }
}
