import { diffTrees, listFiles, type PathChange } from '../git/listing.ts'
import type { ObjectStore } from '../git/objects/object-store.ts'
import type { Repository } from '../git/repository.ts'
import { type ChangedPath, describeContent } from '../guard/changed-path.ts'
import type { Guard, GuardVerdict } from '../guard/guard.ts'

interface GuardTools {
  readonly repository: Repository
  readonly objects: ObjectStore
  readonly guard: Guard
}

/** The changes between two trees, and the guard's verdict on them. */
export async function checkTrees(
  { repository, objects, guard }: GuardTools,
  from: string,
  to: string,
): Promise<{ readonly changes: readonly PathChange[]; readonly verdict: GuardVerdict }> {
  const changes = await diffTrees(repository, from, to)
  const described = await Promise.all(changes.map((change) => describeChange(change, objects)))
  // Only a new name can collide with a name in the base.
  const hasNew = changes.some(({ before }) => before === undefined)
  const basePaths = hasNew ? (await listFiles(repository, from)).map(({ path }) => path) : []
  return { changes, verdict: await guard.check(described, basePaths) }
}

const SHOWN_PATHS = 10
const SHOWN_CHARACTERS = 80

/** A blocked change in one line: the reason and the first paths. Longer texts would lose their beginning later. */
export function describeBlock({ reason, paths, details }: GuardVerdict & { status: 'blocked' }): string {
  const shown = (details ?? paths)
    .slice(0, SHOWN_PATHS)
    .map((path) => (path.length <= SHOWN_CHARACTERS ? path : `${path.slice(0, SHOWN_CHARACTERS)}…`))
  const more = paths.length - shown.length
  return `${reason}: ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

async function describeChange(
  { path, before, after }: PathChange,
  objects: ObjectStore,
): Promise<ChangedPath> {
  const read = async ({ mode, blob }: { mode: string; blob: string }) => ({
    mode,
    blob,
    // A submodule's commit is not in this repository.
    ...describeContent(mode === '160000' ? new Uint8Array() : await objects.get(blob, 'blob')),
  })
  return { path, before: before && (await read(before)), after: after && (await read(after)) }
}
