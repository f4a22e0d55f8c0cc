import { stat } from 'node:fs/promises'
import { dirname, sep } from 'node:path'
import { create } from '@actions/glob'

/** Files to upload, and the folder that their names in the artifact are relative to. */
export interface FoundFiles {
  readonly files: readonly string[]
  readonly root: string
}

/**
 * Finds what a path means, by GitHub's library for patterns. Names keep what comes after the first wildcard; of
 * several paths, what comes after the folder they have in common.
 */
export async function findFiles(path: string, includeHidden: boolean): Promise<FoundFiles> {
  const globber = await create(path, {
    followSymbolicLinks: true,
    implicitDescendants: true,
    omitBrokenSymbolicLinks: true,
    excludeHiddenFiles: !includeHidden,
  })
  const files: string[] = []
  for (const found of await globber.glob()) if (!(await stat(found)).isDirectory()) files.push(found)
  const [first = '', ...others] = globber.getSearchPaths()
  if (others.length > 0) return { files, root: findCommonFolder([first, ...others]) }
  return { files, root: files.length === 1 && files[0] === first ? dirname(first) : first }
}

/** The deepest folder that all of these paths are in, or are. */
function findCommonFolder(paths: readonly string[]): string {
  const [first = [], ...others] = paths.map((path) => path.split(sep))
  const end = first.findIndex((part, index) => others.some((other) => other[index] !== part))
  const common = end === -1 ? first : first.slice(0, end)
  return common.join(sep) || sep
}
