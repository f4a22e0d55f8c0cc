import { createHash } from 'node:crypto'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Box } from '../../box.ts'
import { isoTime } from '../../format.ts'
import { type Artifact, artifacts, runs } from '../documents.ts'

const DAY_MS = 86_400_000
const RETENTION_DAYS = 90

export type AddOutcome =
  | { readonly status: 'added'; readonly artifact: Artifact }
  | { readonly status: 'name-taken' }
  | { readonly status: 'no-such-run' }

/** A file that becomes the artifact. It is moved, not copied. */
export interface StoredContent {
  readonly file: string
  readonly sizeBytes: number
  readonly digest: string
}

export interface ArtifactDraft {
  readonly runId: number
  readonly name: string
  readonly content: Uint8Array | StoredContent
  /** The job that uploaded it. */
  readonly jobId?: number
  /** The default is a zip. */
  readonly mimeType?: string
  readonly expiresAt?: Date
}

/** The path of an artifact's content. */
export function artifactFile(box: Box, id: number): string {
  return join(box.folder, 'actions', 'artifacts', `${id}.zip`)
}

/** Stores an artifact of the run's current attempt. A name is unique within an attempt. */
export function addArtifact(box: Box, draft: ArtifactDraft): AddOutcome {
  const run = runs(box.store).find(draft.runId)
  if (run === undefined) return { status: 'no-such-run' }
  const { id: runId, attempt, repositoryId } = run
  const known = artifactsOf(box, runId)
  if (known.some((one) => one.attempt === attempt && one.name === draft.name)) return { status: 'name-taken' }
  const id = box.store.next('artifacts') + 900_000
  const expires = draft.expiresAt ?? new Date(box.now().getTime() + RETENTION_DAYS * DAY_MS)
  const artifact = artifacts(box.store).put(id, {
    id,
    repositoryId,
    runId,
    jobId: draft.jobId ?? null,
    attempt,
    name: draft.name,
    mimeType: draft.mimeType ?? 'application/zip',
    ...keepContent(artifactFile(box, id), draft.content),
    createdAt: isoTime(box.now()),
    expiresAt: isoTime(expires),
  })
  return { status: 'added', artifact }
}

function keepContent(
  file: string,
  content: Uint8Array | StoredContent,
): { readonly sizeBytes: number; readonly digest: string } {
  mkdirSync(dirname(file), { recursive: true })
  if ('file' in content) {
    renameSync(content.file, file)
    return { sizeBytes: content.sizeBytes, digest: content.digest }
  }
  writeFileSync(file, content)
  const digest = createHash('sha256').update(content).digest('hex')
  return { sizeBytes: content.length, digest: `sha256:${digest}` }
}

/** All artifacts of a run, from every attempt, oldest first. */
export function artifactsOf(box: Box, runId: number): Artifact[] {
  return artifacts(box.store)
    .all()
    .filter((artifact) => artifact.runId === runId)
}

/** Removes an artifact. A new one with the same name gets another id. */
export function removeArtifact(box: Box, id: number): void {
  artifacts(box.store).remove(id)
  rmSync(artifactFile(box, id), { force: true })
}

/** True when it has expired: still listed, no longer downloadable. */
export function isExpired(box: Box, artifact: Artifact): boolean {
  return Date.parse(artifact.expiresAt) <= box.now().getTime()
}
