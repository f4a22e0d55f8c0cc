import type { Box } from '../box.ts'
import type { ApiServer } from '../http/api-server.ts'
import { ApiError } from '../http/errors.ts'
import { html } from './html.ts'
import { renderPage } from './layout.ts'
import { PageApi } from './page-api.ts'
import { findPage } from './page-routes.ts'
import { createSession, findSession, findToken, isOwnForm, type Session } from './session.ts'
import type { PageReply } from './visit.ts'

interface PageRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Buffer
}

interface PageAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

/** Serves the web page. It has no scripts, and every form calls the API as the picked user. */
export async function servePage(box: Box, api: ApiServer, request: PageRequest): Promise<PageAnswer> {
  // Blocks DNS rebinding: another site must not act as a user by pointing its name at this machine.
  if (!isOwnHost(box, request.headers.host)) return plain(421, 'The sandbox does not serve that host name.\n')
  const known = findSession(box, request.headers.cookie)
  const { session, cookie } =
    known === undefined ? createSession(box, '') : { session: known, cookie: undefined }
  const answer = await answerPage(box, api, { request, session })
  return cookie === undefined || 'set-cookie' in answer.headers
    ? answer
    : { ...answer, headers: { ...answer.headers, 'set-cookie': cookie } }
}

interface Asked {
  readonly request: PageRequest
  readonly session: Session
}

async function answerPage(box: Box, api: ApiServer, { request, session }: Asked): Promise<PageAnswer> {
  const page = (status: number, title: string, body: ReturnType<typeof html>): PageAnswer => ({
    status,
    headers: pageHeaders(box),
    body: renderPage({ box, session, url: request.url, title, body }),
  })
  try {
    const reply = await findReply(box, api, { request, session })
    return reply.kind === 'page' ? page(200, reply.title, reply.body) : bare(reply)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const back = request.method === 'POST' ? findBack(request) : undefined
    return page(
      error.status,
      `${error.status}`,
      html`<h1>${error.status}</h1><p class="error">${error.message}</p>
        ${back !== undefined && html`<p><a href="${back}">Back</a></p>`}`,
    )
  }
}

async function findReply(box: Box, api: ApiServer, { request, session }: Asked): Promise<PageReply> {
  const found = findPage(request.method === 'HEAD' ? 'GET' : request.method, request.url.pathname)
  if (found === undefined) throw new ApiError(404, 'Page not found.')
  const form = new URLSearchParams(request.method === 'POST' ? request.body.toString('utf8') : '')
  if (request.method === 'POST' && !isOwnForm(session, form)) {
    throw new ApiError(403, 'This form is out of date. Reload the page.')
  }
  const token = session.login === undefined ? undefined : findToken(box, session.login)
  const visit = {
    box,
    api: new PageApi(api, box.apiUrl, token),
    session,
    url: request.url,
    at: found.at,
    form,
  }
  return await found.route.show(visit)
}

function bare(reply: Exclude<PageReply, { kind: 'page' }>): PageAnswer {
  if (reply.kind === 'file') return { status: 200, headers: reply.headers, body: reply.bytes }
  const cookie = reply.cookie === undefined ? {} : { 'set-cookie': reply.cookie }
  return { status: 303, headers: { location: reply.to, ...cookie }, body: '' }
}

function plain(status: number, text: string): PageAnswer {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: text }
}

function pageHeaders(box: Box): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    `img-src 'self' ${box.url} data:`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'cache-control': 'no-store',
  }
}

function isOwnHost(box: Box, host: string | undefined): boolean {
  const name = (host ?? '').replace(/:\d+$/, '').toLowerCase()
  const own = [new URL(box.url).hostname, 'localhost', '127.0.0.1', '[::1]']
  return own.includes(name) || name.endsWith('.localhost')
}

function findBack(request: PageRequest): string | undefined {
  const from = request.headers.referer
  if (from === undefined || !URL.canParse(from)) return undefined
  const url = new URL(from)
  return `${url.pathname.replace(/^\/+/, '/')}${url.search}`
}
