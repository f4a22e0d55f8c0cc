import { createHash } from 'node:crypto'
import { ReadableStream } from 'node:stream/web'
import * as z from 'zod'
import type { RepositoryApi } from '../api/repository-api.ts'
import { readSingleFile, type ZipReading } from './artifact-zip.ts'

/** GitHub's record of an artifact. A run cannot forge the id: a replacement gets a new one. */
export interface ArtifactFacts {
  readonly id: number
  readonly name: string
  readonly bytes: number
  readonly expired: boolean
  readonly digest: string | undefined
}

export interface ArtifactList {
  readonly total: number
  readonly artifacts: readonly ArtifactFacts[]
}

const artifactList = z
  .object({
    total_count: z.number(),
    artifacts: z.array(
      z.object({
        id: z.number(),
        name: z.string(),
        size_in_bytes: z.number(),
        expired: z.boolean(),
        digest: z.string().nullish(),
      }),
    ),
  })
  .transform(
    ({ total_count, artifacts }): ArtifactList => ({
      total: total_count,
      artifacts: artifacts.map(({ id, name, size_in_bytes, expired, digest }) => ({
        id,
        name,
        bytes: size_in_bytes,
        expired,
        digest: digest ?? undefined,
      })),
    }),
  )

const stream = z.instanceof(ReadableStream)

/** The artifacts of a run, in one request: we never read more than a hundred. */
export async function listArtifacts(api: RepositoryApi, runId: number): Promise<ArtifactList> {
  return await api.get({
    route: 'GET /repos/{owner}/{repo}/actions/runs/{run_id}/artifacts',
    parameters: { run_id: runId, per_page: 100 },
    answer: artifactList,
    priority: 'state',
  })
}

/** The one file of an artifact, bounded while it is read. */
export async function readArtifactFile(
  api: RepositoryApi,
  artifact: ArtifactFacts,
  { file, maxBytes }: { readonly file: string; readonly maxBytes: number },
): Promise<ZipReading> {
  if (artifact.expired) return unreadable('it has expired')
  if (artifact.bytes > maxBytes)
    return unreadable(`its zip has ${artifact.bytes} bytes, more than ${maxBytes}`)
  const outcome = await api.ask({
    route: 'GET /repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}',
    parameters: { artifact_id: artifact.id, archive_format: 'zip' },
    answer: stream,
    priority: 'state',
    streamed: true,
  })
  if (outcome.status !== 'done') return unreadable(`GitHub refused the download: ${outcome.message}`)
  const zip = await readBounded(outcome.value, maxBytes)
  if (zip === undefined) return unreadable(`its zip has more than ${maxBytes} bytes`)
  const digest = `sha256:${createHash('sha256').update(zip).digest('hex')}`
  if (artifact.digest !== undefined && artifact.digest !== digest)
    return unreadable('its bytes changed on the way')
  return readSingleFile(zip, file, maxBytes)
}

async function readBounded(source: ReadableStream, maxBytes: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of source) {
    if (!(chunk instanceof Uint8Array)) return undefined
    length += chunk.length
    if (length > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function unreadable(detail: string): ZipReading {
  return { status: 'unreadable', detail }
}
