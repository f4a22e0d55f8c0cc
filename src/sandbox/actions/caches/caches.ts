import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Box } from '../../box.ts'
import { isoTime } from '../../format.ts'
import { Fields } from '../../http/fields.ts'
import type { RepositoryDocument } from '../../state/documents.ts'
import type { StoredContent } from '../artifacts/artifacts.ts'
import { type CacheEntry, cacheEntries, type Run } from '../documents.ts'

/** What identifies an entry. */
export type CacheName = Pick<CacheEntry, 'repositoryId' | 'scope' | 'key' | 'version'>

/** The path of an entry's content. */
export function cacheFile(box: Box, id: number): string {
  return join(box.folder, 'actions', 'caches', String(id))
}

/**
 * The refs whose entries a run can read, in search order: its own ref, a pull request's base, the default
 * branch. It writes only to the first.
 */
export function cacheScopes(run: Run, repo: RepositoryDocument): readonly [string, ...string[]] {
  const base = new Fields(run.payload).findObject('pull_request')?.findObject('base')?.findText('ref')
  const branches = [...(base === undefined ? [] : [base]), repo.defaultBranch]
  return [run.ref, ...branches.map((branch) => `refs/heads/${branch}`)]
}

/** Stores a file as an entry. The file is moved. */
export function addCache(box: Box, name: CacheName, content: StoredContent): CacheEntry {
  const id = box.store.next('cache-entries')
  const file = cacheFile(box, id)
  mkdirSync(dirname(file), { recursive: true })
  renameSync(content.file, file)
  const now = isoTime(box.now())
  const { sizeBytes } = content
  return cacheEntries(box.store).put(id, { ...name, id, sizeBytes, createdAt: now, lastUsedAt: now })
}

/** A repository's entries, oldest first. */
export function cachesOf(box: Box, repositoryId: number): CacheEntry[] {
  return cacheEntries(box.store)
    .all()
    .filter((entry) => entry.repositoryId === repositoryId)
}

/**
 * Finds the entry for these keys, as GitHub documents it: scope by scope, and key by key within a scope. For
 * each key the exact entry wins, then the newest with that prefix.
 */
export function findCache(
  entries: readonly CacheEntry[],
  wanted: { readonly scopes: readonly string[]; readonly keys: readonly string[]; readonly version: string },
): CacheEntry | undefined {
  for (const scope of wanted.scopes) {
    const there = entries.filter((entry) => entry.scope === scope && entry.version === wanted.version)
    for (const key of wanted.keys) {
      const found =
        there.find((entry) => entry.key === key) ?? there.findLast((entry) => entry.key.startsWith(key))
      if (found !== undefined) return found
    }
  }
  return undefined
}

/** Records that an entry was read. */
export function touchCache(box: Box, entry: CacheEntry): void {
  cacheEntries(box.store).put(entry.id, { ...entry, lastUsedAt: isoTime(box.now()) })
}

export function removeCache(box: Box, id: number): void {
  cacheEntries(box.store).remove(id)
  rmSync(cacheFile(box, id), { force: true })
}
