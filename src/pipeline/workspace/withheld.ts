import { realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { TreeFile } from '../../git/listing.ts'
import { createPathMatcher, type PathMatcher } from '../../guard/paths/path-patterns.ts'
import { removeFolder } from '../../process/disk/remove-folder.ts'

/** Files that agents, or runs that do not need them, must not see. */
export interface Withheld {
  readonly includes: PathMatcher
  /** The matching files of the root. */
  readonly tracked: readonly string[]
  /** All paths to remove from a copy of the root. */
  readonly paths: readonly string[]
}

/** Resolves files, folders and globs against the root. */
export function createWithheld(paths: readonly string[], rootFiles: readonly TreeFile[]): Withheld {
  const includes = createPathMatcher(paths, { ignoreCase: true, anchored: true })
  const tracked = rootFiles.map(({ path }) => path).filter(includes)
  // The literal paths too: the set-up may have created them.
  return { includes, tracked, paths: [...new Set([...paths, ...tracked])] }
}

/** Removes paths from a folder. It follows no link out of the folder: what lies there is not ours to remove. */
export async function removePaths(folder: string, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return
  const inside = `${await realpath(folder)}/`
  for (const path of paths) {
    const target = join(folder, path)
    const parent = await realpath(dirname(target)).catch(() => undefined)
    if (parent !== undefined && `${parent}/`.startsWith(inside)) await removeFolder(target)
  }
}
