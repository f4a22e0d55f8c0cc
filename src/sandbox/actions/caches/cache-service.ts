import type { Box } from '../../box.ts'
import { downloadLink } from '../../http/downloads.ts'
import type { Fields } from '../../http/fields.ts'
import { repositories } from '../../state/documents.ts'
import { runs } from '../documents.ts'
import { uploadLink } from '../results/serve-blob.ts'
import type { ServiceCall, ServiceMethod, ServiceMethods } from '../results/service.ts'
import { TwirpError } from '../results/twirp-error.ts'
import {
  beginUpload,
  type CacheUpload,
  getContent,
  removeAbandonedUploads,
  removeUpload,
  uploads,
} from '../results/uploads.ts'
import { addCache, type CacheName, cacheScopes, cachesOf, findCache, touchCache } from './caches.ts'

const MAX_KEY_CHARS = 512

/** GitHub's `github.actions.results.api.v1.CacheService`, by method. */
export const CACHE_METHODS: ServiceMethods = new Map<string, ServiceMethod>([
  ['CreateCacheEntry', createCacheEntry],
  ['FinalizeCacheEntryUpload', finalizeCacheEntryUpload],
  ['GetCacheEntryDownloadURL', getCacheEntryDownloadUrl],
])

function createCacheEntry(call: ServiceCall) {
  const { box, job } = call
  const name = readName(call)
  removeAbandonedUploads(box)
  const taken = [...cachesOf(box, name.repositoryId), ...cacheUploads(box)]
  if (taken.some((one) => isNamed(one, name))) throw nameTaken()
  const upload = beginUpload(box, { kind: 'cache', jobId: job.id, ...name })
  return { ok: true, signed_upload_url: uploadLink(box, upload), message: '' }
}

function finalizeCacheEntryUpload(call: ServiceCall) {
  const { box, job, fields } = call
  const name = readName(call)
  const upload = cacheUploads(box).find((one) => one.jobId === job.id && isNamed(one, name))
  if (upload === undefined) throw new TwirpError('not_found', `no upload of ${name.key} was started`)
  const entry = addCache(box, name, getContent(box, upload, { size: fields.findText('size_bytes') }))
  removeUpload(box, upload)
  return { ok: true, entry_id: String(entry.id), message: '' }
}

function getCacheEntryDownloadUrl(call: ServiceCall) {
  const { box, fields } = call
  const { repo, scopes } = accessOf(call)
  const keys = [readKey(fields), ...(fields.findTexts('restore_keys') ?? [])]
  const found = findCache(cachesOf(box, repo.id), { scopes, keys, version: readVersion(fields) })
  if (found === undefined) return { ok: false, signed_download_url: '', matched_key: '' }
  touchCache(box, found)
  return { ok: true, signed_download_url: downloadLink(box, 'cache', found.id), matched_key: found.key }
}

// A request may name scopes, but they are ignored: the token's run decides what it may touch.
function accessOf({ box, job }: ServiceCall) {
  const run = runs(box.store).find(job.runId)
  const repo = run && repositories(box.store).find(run.repositoryId)
  if (run === undefined || repo === undefined) throw new TwirpError('not_found', 'the run no longer exists')
  return { repo, scopes: cacheScopes(run, repo) }
}

function readName(call: ServiceCall): CacheName {
  const { repo, scopes } = accessOf(call)
  const { fields } = call
  return { repositoryId: repo.id, scope: scopes[0], key: readKey(fields), version: readVersion(fields) }
}

function cacheUploads(box: Box): CacheUpload[] {
  return uploads(box.store)
    .all()
    .filter((one) => one.kind === 'cache')
}

function isNamed(one: CacheName, { repositoryId, scope, key, version }: CacheName): boolean {
  return (
    one.repositoryId === repositoryId && one.scope === scope && one.key === key && one.version === version
  )
}

function readKey(fields: Fields): string {
  const key = fields.findText('key') ?? ''
  if (key === '' || key.length > MAX_KEY_CHARS || key.includes(',')) {
    throw new TwirpError(
      'invalid_argument',
      `key is empty, longer than ${MAX_KEY_CHARS} characters, or contains a comma`,
    )
  }
  return key
}

function readVersion(fields: Fields): string {
  const version = fields.findText('version') ?? ''
  if (version === '') throw new TwirpError('invalid_argument', 'version is empty')
  return version
}

function nameTaken(): TwirpError {
  const message = 'cache entry with the same key, version, and scope already exists'
  return new TwirpError('already_exists', message)
}
