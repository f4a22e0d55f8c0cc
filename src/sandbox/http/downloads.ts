import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Box } from '../box.ts'

/** A file to hand out. */
export interface Download {
  readonly type: string
  readonly name: string
  readonly bytes: Uint8Array
}

/** Finds what a link stands for; the key is what the link was made with. */
export type DownloadSource = (box: Box, key: string) => Promise<Download | undefined> | Download | undefined

// GitHub's links to logs and artifacts are good for a minute, for whoever has them.
const LIFE_MS = 60_000
const PREFIX = '/_downloads/'
const secret = randomBytes(32)

/** A link that needs no token; `kind` is a name in a family's `downloads`. */
export function downloadLink(box: Box, kind: string, key: string | number): string {
  const expires = box.now().getTime() + LIFE_MS
  const path = `${PREFIX}${kind}/${encodeURIComponent(key)}`
  return `${box.url}${path}?expires=${expires}&signature=${sign(path, expires)}`
}

function sign(path: string, expires: number): string {
  return createHmac('sha256', secret).update(`${path} ${expires}`).digest('hex')
}

export function isDownload(pathname: string): boolean {
  return pathname.startsWith(PREFIX)
}

/** Serves a link that the box has signed, until it expires. */
export async function serveDownload(
  box: Box,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const [kind = '', key = ''] = url.pathname.slice(PREFIX.length).split('/')
  const source = box.families.flatMap((family) => family.downloads?.[kind] ?? [])[0]
  const found = isSigned(box, url) ? await source?.(box, decodeURIComponent(key)) : undefined
  if (found === undefined || request.method !== 'GET') {
    response.writeHead(404, { 'content-type': 'text/plain' })
    response.end('Not Found\n')
    return
  }
  response.writeHead(200, {
    'content-type': found.type,
    'content-disposition': `attachment; filename="${found.name.replaceAll(/[^\w.-]/g, '_')}"`,
    'content-length': found.bytes.length,
  })
  response.end(found.bytes)
}

function isSigned(box: Box, url: URL): boolean {
  const expires = Number(url.searchParams.get('expires'))
  const given = Buffer.from(url.searchParams.get('signature') ?? '')
  const right = Buffer.from(sign(url.pathname, expires))
  return given.length === right.length && timingSafeEqual(given, right) && box.now().getTime() < expires
}
