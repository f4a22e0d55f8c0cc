import type { Box, Download, Family, RepoCall } from '../../box.ts'
import { notFound } from '../../http/errors.ts'
import { listIn, noContent, ok, type Reply } from '../../http/reply.ts'
import { repoRoute } from '../../http/route.ts'
import { type CacheEntry, cacheEntries } from '../documents.ts'
import { cacheFile, cachesOf, removeCache } from './caches.ts'

const CACHES = '/repos/{owner}/{repo}/actions/caches'
const WRITE = { actions: 'write' } as const

/** Cache entries. Only jobs create and read them, through the cache service. */
export const cachesFamily: Family = {
  routes: [
    repoRoute(`GET ${CACHES}`, { actions: 'read' }, listCaches),
    repoRoute(`DELETE ${CACHES}`, WRITE, removeByKey),
    repoRoute(`DELETE ${CACHES}/{cache_id}`, WRITE, removeById),
  ],
  downloads: { cache: findContent },
}

async function listCaches(call: RepoCall): Promise<Reply> {
  const key = call.query.findText('key') ?? ''
  const found = entriesOf(call).filter((entry) => entry.key.startsWith(key))
  return await listIn(call, 'actions_caches', found.toSorted(orderOf(call)), view)
}

// By default, the most recently used entry comes first.
function orderOf(call: RepoCall): (a: CacheEntry, b: CacheEntry) => number {
  const sign = call.query.findText('direction') === 'asc' ? 1 : -1
  switch (call.query.findText('sort')) {
    case 'size_in_bytes':
      return (a, b) => sign * (a.sizeBytes - b.sizeBytes)
    case 'created_at':
      return (a, b) => sign * (a.id - b.id)
    default:
      return (a, b) => sign * (Date.parse(a.lastUsedAt) - Date.parse(b.lastUsedAt) || a.id - b.id)
  }
}

function removeByKey(call: RepoCall): Reply {
  const key = call.query.text('key')
  const found = entriesOf(call).filter((entry) => entry.key === key)
  if (found.length === 0) throw notFound()
  for (const { id } of found) removeCache(call.box, id)
  return ok({ total_count: found.length, actions_caches: found.map(view) })
}

function removeById(call: RepoCall): Reply {
  const entry = cacheEntries(call.box.store).find(call.path.number('cache_id'))
  if (entry === undefined || entry.repositoryId !== call.repo.id) throw notFound()
  removeCache(call.box, entry.id)
  return noContent()
}

function entriesOf(call: RepoCall): CacheEntry[] {
  const ref = call.query.findText('ref')
  return cachesOf(call.box, call.repo.id).filter(({ scope }) => ref === undefined || scope === ref)
}

function view(entry: CacheEntry) {
  return {
    id: entry.id,
    ref: entry.scope,
    key: entry.key,
    version: entry.version,
    last_accessed_at: entry.lastUsedAt,
    created_at: entry.createdAt,
    size_in_bytes: entry.sizeBytes,
  }
}

function findContent(box: Box, key: string): Download | undefined {
  const entry = cacheEntries(box.store).find(key)
  return entry && { type: 'application/octet-stream', name: 'cache', file: cacheFile(box, entry.id) }
}
