import type { Box } from '../../box.ts'
import { downloadLink } from '../../http/downloads.ts'
import type { Fields } from '../../http/fields.ts'
import type { Artifact, Job } from '../documents.ts'
import { uploadLink } from '../results/serve-blob.ts'
import type { ServiceCall, ServiceMethod, ServiceMethods } from '../results/service.ts'
import { TwirpError } from '../results/twirp-error.ts'
import {
  type ArtifactUpload,
  beginUpload,
  getContent,
  removeAbandonedUploads,
  removeUpload,
  uploads,
} from '../results/uploads.ts'
import { addArtifact, artifactsOf, isExpired, removeArtifact } from './artifacts.ts'

const MAX_ARTIFACTS_OF_JOB = 500
const MAX_NAME_CHARS = 260
// Downloads turn an artifact's name into a folder, so it must be valid in every file system.
const UNFIT_NAME = /["<>|*?\r\n:\\/]/

/** GitHub's `github.actions.results.api.v1.ArtifactService`, by method. */
export const ARTIFACT_METHODS: ServiceMethods = new Map<string, ServiceMethod>([
  ['CreateArtifact', createArtifact],
  ['FinalizeArtifact', finalizeArtifact],
  ['ListArtifacts', listArtifacts],
  ['GetSignedArtifactURL', getSignedArtifactUrl],
  ['DeleteArtifact', deleteArtifact],
])

function createArtifact({ box, job, fields }: ServiceCall) {
  assertOwnJob(job, fields)
  const name = readName(fields)
  removeAbandonedUploads(box)
  const pending = artifactUploads(box).filter(
    ({ runId, attempt }) => runId === job.runId && attempt === job.attempt,
  )
  const finished = artifactsOf(box, job.runId).filter(({ attempt }) => attempt === job.attempt)
  const taken = [...pending, ...finished]
  if (taken.some((one) => one.name === name)) throw nameTaken()
  if (taken.filter(({ jobId }) => jobId === job.id).length >= MAX_ARTIFACTS_OF_JOB) {
    throw new TwirpError('failed_precondition', `a job may upload at most ${MAX_ARTIFACTS_OF_JOB} artifacts`)
  }
  const upload = beginUpload(box, {
    kind: 'artifact',
    runId: job.runId,
    jobId: job.id,
    attempt: job.attempt,
    name,
    mimeType: fields.findText('mime_type') ?? 'application/zip',
    expiresAt: readExpiry(fields),
  })
  return { ok: true, signed_upload_url: uploadLink(box, upload) }
}

function finalizeArtifact({ box, job, fields }: ServiceCall) {
  assertOwnJob(job, fields)
  const name = readName(fields)
  const upload = artifactUploads(box).find((one) => one.jobId === job.id && one.name === name)
  if (upload === undefined) throw notFound(name)
  const claimed = { size: fields.findText('size'), digest: fields.findText('hash') }
  const added = addArtifact(box, {
    runId: job.runId,
    jobId: job.id,
    name,
    mimeType: upload.mimeType,
    content: getContent(box, upload, claimed),
    ...(upload.expiresAt === null ? {} : { expiresAt: new Date(upload.expiresAt) }),
  })
  removeUpload(box, upload)
  if (added.status === 'no-such-run') throw notFound(name)
  if (added.status === 'name-taken') throw nameTaken()
  return { ok: true, artifact_id: String(added.artifact.id) }
}

function listArtifacts({ box, job, fields }: ServiceCall) {
  assertOwnRun(job, fields)
  const name = fields.findText('name_filter')
  const id = fields.findText('id_filter')
  const found = artifactsOf(box, job.runId)
    .filter((artifact) => !isExpired(box, artifact))
    .filter((artifact) => name === undefined || artifact.name === name)
    .filter((artifact) => id === undefined || String(artifact.id) === id)
  return { artifacts: found.map(view) }
}

function getSignedArtifactUrl(call: ServiceCall) {
  return { signed_url: downloadLink(call.box, 'artifact', getArtifact(call).id) }
}

function deleteArtifact(call: ServiceCall) {
  const { id } = getArtifact(call)
  removeArtifact(call.box, id)
  return { ok: true, artifact_id: String(id) }
}

function artifactUploads(box: Box): ArtifactUpload[] {
  return uploads(box.store)
    .all()
    .filter((one) => one.kind === 'artifact')
}

function view(artifact: Artifact) {
  return {
    workflow_run_backend_id: String(artifact.runId),
    workflow_job_run_backend_id: String(artifact.jobId),
    database_id: String(artifact.id),
    name: artifact.name,
    size: String(artifact.sizeBytes),
    created_at: artifact.createdAt,
    digest: artifact.digest,
  }
}

// The request names the job that uploaded, because a later attempt may reuse the name.
function getArtifact({ box, job, fields }: ServiceCall): Artifact {
  assertOwnRun(job, fields)
  const name = readName(fields)
  const jobId = fields.findText('workflow_job_run_backend_id')
  const found = artifactsOf(box, job.runId).findLast(
    (one) => one.name === name && String(one.jobId) === jobId,
  )
  if (found === undefined || isExpired(box, found)) throw notFound(name)
  return found
}

function assertOwnRun(job: Job, fields: Fields): void {
  if (fields.findText('workflow_run_backend_id') !== String(job.runId)) throw foreign()
}

function assertOwnJob(job: Job, fields: Fields): void {
  assertOwnRun(job, fields)
  if (fields.findText('workflow_job_run_backend_id') !== String(job.id)) throw foreign()
}

function readName(fields: Fields): string {
  const name = fields.findText('name') ?? ''
  if (name === '' || name.length > MAX_NAME_CHARS || UNFIT_NAME.test(name)) {
    throw new TwirpError(
      'invalid_argument',
      'name is empty or too long, or contains a character that file names cannot have',
    )
  }
  return name
}

function readExpiry(fields: Fields): string | null {
  const text = fields.findText('expires_at')
  if (text === undefined) return null
  if (Number.isNaN(Date.parse(text))) throw new TwirpError('invalid_argument', 'expires_at is not a time')
  return text
}

function nameTaken(): TwirpError {
  return new TwirpError('already_exists', 'an artifact with this name already exists on the workflow run')
}

function notFound(name: string): TwirpError {
  return new TwirpError('not_found', `artifact ${name} not found`)
}

function foreign(): TwirpError {
  return new TwirpError('permission_denied', 'the token belongs to another run or job')
}
