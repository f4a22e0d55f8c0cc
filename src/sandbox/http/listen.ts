import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { isBlob, serveBlob } from '../actions/results/serve-blob.ts'
import { isTwirp, serveTwirp } from '../actions/results/serve-twirp.ts'
import type { Box } from '../box.ts'
import { isGitRequest, serveGit } from '../git/transport.ts'
import { servePage } from '../web/serve-page.ts'
import type { ApiServer } from './api-server.ts'
import { isDownload, serveDownload } from './downloads.ts'

const API_ROOT = '/api/v3'
const KEEP_ALIVE_MS = 65_000

/** Opens the port. Port 0 takes any free one. */
export async function listen(host: string, port: number): Promise<{ server: Server; port: number }> {
  const server = createServer()
  // A long timeout: on a busy machine a client may reuse a connection just as it is closed for being idle.
  server.keepAliveTimeout = KEEP_ALIVE_MS
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return { server, port: parseAddress(server.address()).port }
}

/** Dispatches each request: git, downloads, artifacts and caches, the API, or the web page. */
export function dispatch(box: Box, api: ApiServer) {
  const underWay = new Set<Promise<void>>()
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const work = serve(box, api, request, response)
      .catch((error: unknown) => {
        // A client may hang up in the middle of an answer.
        if (isHangUp(error)) return
        box.reportDeviation(`${request.method} ${request.url} threw: ${String(error)}`)
        if (!response.headersSent) response.writeHead(500)
        response.end()
      })
      .finally(() => underWay.delete(work))
    underWay.add(work)
  }
  /** Waits for every request, even if its client has hung up. */
  const settled = async (): Promise<void> => {
    await Promise.all(underWay)
  }
  return { handle, settled }
}

// The first happens while the answer is sent, the second while the request is read.
const HANG_UPS: readonly unknown[] = ['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET']

function isHangUp(error: unknown): boolean {
  return error instanceof Error && 'code' in error && HANG_UPS.includes(error.code)
}

async function serve(
  box: Box,
  api: ApiServer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', box.url)
  if (isGitRequest(url.pathname)) return await serveGit(box, request, response, url)
  if (isDownload(url.pathname)) return await serveDownload(box, request, response, url)
  if (isTwirp(url.pathname)) return await serveTwirp(box, request, response, url)
  if (isBlob(url.pathname)) return await serveBlob(box, request, response, url)
  const pathname = apiPath(url.pathname)
  const parts = {
    method: request.method ?? 'GET',
    url,
    headers: readHeaders(request),
    body: await buffer(request),
  }
  const answer =
    pathname === undefined ? await servePage(box, api, parts) : await api.answer({ ...parts, pathname })
  response.writeHead(answer.status, answer.headers)
  response.end(answer.body)
}

// Octokit finds GraphQL beside /api/v3, as on a GitHub Enterprise Server.
function apiPath(pathname: string): string | undefined {
  if (pathname === '/api/graphql') return '/graphql'
  return pathname === API_ROOT || pathname.startsWith(`${API_ROOT}/`)
    ? pathname.slice(API_ROOT.length) || '/'
    : undefined
}

function readHeaders(request: IncomingMessage): Record<string, string | undefined> {
  const entries = Object.entries(request.headers)
  return Object.fromEntries(
    entries.map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  )
}

function parseAddress(address: AddressInfo | string | null): AddressInfo {
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port')
  return address
}
