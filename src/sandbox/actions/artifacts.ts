import { createHash } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Box, isoTime } from '../box.ts'
import { type Artifact, artifacts, runs } from './documents.ts'

const DAY_MS = 86_400_000
const RETENTION_DAYS = 90

export type AddOutcome =
  | { readonly status: 'added'; readonly artifact: Artifact }
  | { readonly status: 'name-taken' }
  | { readonly status: 'no-such-run' }

/** Where an artifact's zip lives. */
export function artifactFile(box: Box, id: number): string {
  return join(box.folder, 'actions', 'artifacts', `${id}.zip`)
}

/** Keeps a zip as an artifact of a run's present attempt. A name is given once in an attempt. */
export function addArtifact(
  box: Box,
  draft: {
    readonly runId: number
    readonly name: string
    readonly zip: Uint8Array
    readonly retentionDays?: number
  },
): AddOutcome {
  const run = runs(box.store).find(draft.runId)
  if (run === undefined) return { status: 'no-such-run' }
  const { id: runId, attempt, repositoryId } = run
  const taken = artifacts(box.store)
    .all()
    .some((one) => one.runId === runId && one.attempt === attempt && one.name === draft.name)
  if (taken) return { status: 'name-taken' }
  const id = box.store.next('artifacts') + 900_000
  const file = artifactFile(box, id)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, draft.zip)
  const expires = box.now().getTime() + (draft.retentionDays ?? RETENTION_DAYS) * DAY_MS
  const artifact = artifacts(box.store).put(id, {
    id,
    repositoryId,
    runId,
    attempt,
    name: draft.name,
    sizeBytes: draft.zip.length,
    digest: `sha256:${createHash('sha256').update(draft.zip).digest('hex')}`,
    createdAt: isoTime(box.now()),
    expiresAt: isoTime(new Date(expires)),
  })
  return { status: 'added', artifact }
}

/** Removes an artifact; a new one of the same name gets another id. */
export function removeArtifact(box: Box, id: number): void {
  artifacts(box.store).remove(id)
  rmSync(artifactFile(box, id), { force: true })
}

/** True when its time is over: it is listed still, and can no longer be downloaded. */
export function isExpired(box: Box, artifact: Artifact): boolean {
  return Date.parse(artifact.expiresAt) <= box.now().getTime()
}
