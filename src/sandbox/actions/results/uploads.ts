import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, rmSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Box } from '../../box.ts'
import { defineTable } from '../../state/store.ts'
import type { StoredContent } from '../artifacts/artifacts.ts'
import { jobs } from '../documents.ts'
import { TwirpError } from './twirp-error.ts'

interface AnyUpload {
  readonly id: number
  readonly jobId: number
  /** Set once all its blocks are assembled. */
  readonly content: { readonly sizeBytes: number; readonly digest: string } | null
}

/** An artifact in upload: it has a name but no id yet. */
export interface ArtifactUpload extends AnyUpload {
  readonly kind: 'artifact'
  readonly runId: number
  readonly attempt: number
  readonly name: string
  readonly mimeType: string
  readonly expiresAt: string | null
}

/** A cache entry in upload: its key is taken, but nobody can read it yet. */
export interface CacheUpload extends AnyUpload {
  readonly kind: 'cache'
  readonly repositoryId: number
  readonly scope: string
  readonly key: string
  readonly version: string
}

export type Upload = ArtifactUpload | CacheUpload
type Draft<Kind> = Kind extends Upload ? Omit<Kind, 'id' | 'content'> : never

export const uploads = defineTable<Upload>('uploads')

/** Registers an upload that a job is about to send. */
export function beginUpload(box: Box, draft: Draft<Upload>): Upload {
  const id = box.store.next('uploads')
  return uploads(box.store).put(id, { ...draft, id, content: null })
}

/** The uploaded content, if its size and digest are those that the client claims. */
export function getContent(
  box: Box,
  upload: Upload,
  claimed: { readonly size?: string | undefined; readonly digest?: string | undefined },
): StoredContent {
  const { content } = upload
  if (content === null) throw new TwirpError('failed_precondition', 'nothing was uploaded')
  const { sizeBytes, digest } = content
  if (claimed.size !== undefined && claimed.size !== String(sizeBytes)) {
    throw new TwirpError('invalid_argument', `${sizeBytes} bytes were uploaded, not ${claimed.size}`)
  }
  if (claimed.digest !== undefined && claimed.digest !== digest) {
    throw new TwirpError('invalid_argument', `the uploaded content has the digest ${digest}`)
  }
  return { sizeBytes, digest, file: contentFile(box, upload) }
}

export type StageOutcome = 'staged' | 'too-large'
export type CommitOutcome = 'committed' | 'too-large' | 'unknown-block'

function folderOf(box: Box, upload: Upload): string {
  return join(box.folder, 'actions', 'uploads', String(upload.id))
}

function contentFile(box: Box, upload: Upload): string {
  return join(folderOf(box, upload), 'content')
}

// Clients choose block ids freely. Hex contains no slashes or dots.
function blockFile(box: Box, upload: Upload, blockId: string): string {
  return join(folderOf(box, upload), `block-${Buffer.from(blockId).toString('hex')}`)
}

/** Writes one block to disk, replacing one with the same id. */
export async function stageBlock(
  box: Box,
  upload: Upload,
  block: { readonly id: string; readonly bytes: Readable },
): Promise<StageOutcome> {
  await mkdir(folderOf(box, upload), { recursive: true })
  const file = blockFile(box, upload, block.id)
  const left = { bytes: box.settings.maxArtifactBytes }
  await pipeline(block.bytes, (chunks) => takeUpTo(left, chunks), createWriteStream(file))
  if (left.bytes >= 0) return 'staged'
  rmSync(file)
  return 'too-large'
}

// Read an oversized body to its end, so that the client gets the answer, but do not keep it.
async function* takeUpTo(left: { bytes: number }, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    left.bytes -= chunk.length
    if (left.bytes >= 0) yield chunk
  }
}

/** Assembles the blocks, in this order, into the upload's content. */
export async function commitBlocks(
  box: Box,
  upload: Upload,
  blockIds: readonly string[],
): Promise<CommitOutcome> {
  const files = blockIds.map((id) => blockFile(box, upload, id))
  const sizes = await Promise.all(files.map(findSize))
  if (sizes.includes(undefined)) return 'unknown-block'
  const sizeBytes = sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0)
  if (sizeBytes > box.settings.maxArtifactBytes) return 'too-large'
  await mkdir(folderOf(box, upload), { recursive: true })
  const hash = createHash('sha256')
  await pipeline(readAll(files, hash), createWriteStream(contentFile(box, upload)))
  for (const file of files) rmSync(file, { force: true })
  const content = { sizeBytes, digest: `sha256:${hash.digest('hex')}` }
  uploads(box.store).put(upload.id, { ...upload, content })
  return 'committed'
}

async function* readAll(
  files: readonly string[],
  hash: { update(chunk: Buffer): unknown },
): AsyncGenerator<Buffer> {
  for (const file of files) {
    for await (const chunk of createReadStream(file)) {
      hash.update(chunk)
      yield chunk
    }
  }
}

async function findSize(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).size
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** Removes an upload and its files. */
export function removeUpload(box: Box, upload: Upload): void {
  uploads(box.store).remove(upload.id)
  rmSync(folderOf(box, upload), { recursive: true, force: true })
}

/** Removes uploads whose jobs have ended. */
export function removeAbandonedUploads(box: Box): void {
  for (const upload of uploads(box.store).all()) {
    const job = jobs(box.store).find(upload.jobId)
    if (job === undefined || job.status === 'completed') removeUpload(box, upload)
  }
}
