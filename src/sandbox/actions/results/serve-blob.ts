import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Box } from '../../box.ts'
import { isSignedLink, signLink } from '../../http/signature.ts'
import {
  type CommitOutcome,
  commitBlocks,
  type StageOutcome,
  stageBlock,
  type Upload,
  uploads,
} from './uploads.ts'

// The Azure client expects three path segments on localhost: account, container, blob.
const PREFIX = '/_blobs/uploads/'
const LIFE_MS = 3_600_000
const WHOLE = 'whole'

/** A link for sending one upload's content, in the style of Azure's block blobs. */
export function uploadLink(box: Box, upload: Upload): string {
  return signLink(box, `${PREFIX}${upload.id}`, LIFE_MS)
}

export function isBlob(pathname: string): boolean {
  return pathname.startsWith(PREFIX)
}

interface Refusal {
  readonly status: number
  /** Azure's error code. */
  readonly code: string
}

const REFUSALS: Readonly<Record<Exclude<StageOutcome | CommitOutcome, 'staged' | 'committed'>, Refusal>> = {
  'too-large': { status: 413, code: 'RequestBodyTooLarge' },
  'unknown-block': { status: 400, code: 'InvalidBlockList' },
}

/** Receives an upload: blocks followed by the list that orders them, or everything at once. */
export async function serveBlob(
  box: Box,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const refusal = await takeBlob(box, request, url)
  request.resume()
  const headers = { 'x-ms-request-id': randomUUID(), 'x-ms-version': '2025-01-05' }
  if (refusal === undefined) {
    response.writeHead(201, { ...headers, etag: `"${randomUUID()}"`, 'content-length': 0 })
    response.end()
    return
  }
  const { status, code } = refusal
  response.writeHead(status, { ...headers, 'x-ms-error-code': code, 'content-type': 'application/xml' })
  response.end(
    `<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`,
  )
}

async function takeBlob(box: Box, request: IncomingMessage, url: URL): Promise<Refusal | undefined> {
  if (!isSignedLink(box, url)) return { status: 403, code: 'AuthenticationFailed' }
  const upload = uploads(box.store).find(url.pathname.slice(PREFIX.length))
  if (upload === undefined) return { status: 404, code: 'BlobNotFound' }
  if (request.method !== 'PUT') return { status: 405, code: 'UnsupportedHttpVerb' }
  const outcome = await put(box, upload, { request, query: url.searchParams })
  return outcome === 'staged' || outcome === 'committed' ? undefined : REFUSALS[outcome]
}

async function put(
  box: Box,
  upload: Upload,
  { request, query }: { readonly request: IncomingMessage; readonly query: URLSearchParams },
): Promise<StageOutcome | CommitOutcome> {
  switch (query.get('comp')) {
    case 'block':
      return await stageBlock(box, upload, { id: query.get('blockid') ?? '', bytes: request })
    case 'blocklist':
      return await commitBlocks(box, upload, parseBlockList(await text(request)))
    default: {
      const staged = await stageBlock(box, upload, { id: WHOLE, bytes: request })
      return staged === 'staged' ? await commitBlocks(box, upload, [WHOLE]) : staged
    }
  }
}

// Ids are base64, so they contain no XML escapes.
function parseBlockList(xml: string): string[] {
  return [...xml.matchAll(/<(Latest|Uncommitted|Committed)>([^<]*)<\/\1>/g)].map(([, , id = '']) => id.trim())
}
