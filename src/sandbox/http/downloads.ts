import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { Box } from '../box.ts'
import { isSignedLink, signLink } from './signature.ts'

// GitHub's links to logs and artifacts work for a minute, for anyone who has them.
const LIFE_MS = 60_000
const PREFIX = '/_downloads/'

/** A link that needs no token. `kind` is a name in a family's `downloads`. */
export function downloadLink(box: Box, kind: string, key: string | number): string {
  return signLink(box, `${PREFIX}${kind}/${encodeURIComponent(key)}`, LIFE_MS)
}

export function isDownload(pathname: string): boolean {
  return pathname.startsWith(PREFIX)
}

/** Serves a signed link until it expires. */
export async function serveDownload(
  box: Box,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const [kind = '', key = ''] = url.pathname.slice(PREFIX.length).split('/')
  const source = box.families.flatMap((family) => family.downloads?.[kind] ?? [])[0]
  const found = isSignedLink(box, url) ? await source?.(box, decodeURIComponent(key)) : undefined
  if (found === undefined || request.method !== 'GET') {
    response.writeHead(404, { 'content-type': 'text/plain' })
    response.end('Not Found\n')
    return
  }
  response.writeHead(200, {
    'content-type': found.type,
    'content-disposition': `attachment; filename="${found.name.replaceAll(/[^\w.-]/g, '_')}"`,
    'content-length': 'file' in found ? (await stat(found.file)).size : found.bytes.length,
  })
  if ('file' in found) await send(found.file, response)
  else response.end(found.bytes)
}

async function send(file: string, response: ServerResponse): Promise<void> {
  try {
    await pipeline(createReadStream(file), response)
  } catch (error) {
    // Ignore clients that hang up: they do so at the end of a zip.
    const hungUp = error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'
    if (!hungUp) throw error
  }
}
