import { realpath, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { TreeFile } from '../../git/listing.ts'
import { createPathMatcher, type PathMatcher } from '../../guard/paths/path-patterns.ts'

/** What is kept from agents, or from runs that do not need it. */
export interface Withheld {
  readonly includes: PathMatcher
  /** The files of the root that are meant. */
  readonly tracked: readonly string[]
  /** All that is to be taken out of a folder of the root. */
  readonly paths: readonly string[]
}

/** Works out what files, folders and globs from the root mean. */
export function createWithheld(paths: readonly string[], rootFiles: readonly TreeFile[]): Withheld {
  const includes = createPathMatcher(paths, { ignoreCase: true, anchored: true })
  const tracked = rootFiles.map(({ path }) => path).filter(includes)
  // The paths as they stand too: the set-up may have made what is there.
  return { includes, tracked, paths: [...new Set([...paths, ...tracked])] }
}

/** Removes paths from a folder. It follows no link out of the folder: what lies there is not ours to remove. */
export async function removePaths(folder: string, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return
  const inside = `${await realpath(folder)}/`
  for (const path of paths) {
    const target = join(folder, path)
    const parent = await realpath(dirname(target)).catch(() => undefined)
    if (parent !== undefined && `${parent}/`.startsWith(inside))
      await rm(target, { recursive: true, force: true })
  }
}
