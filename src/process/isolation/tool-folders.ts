import { existsSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'

// `.local` holds programs and private data: these are the folders of pip, pipx and uv.
const OF_LOCAL = ['bin', 'lib', 'pipx', 'share/pipx', 'share/uv']

/**
 * Parts of hidden folders that programs on the PATH need, such as `.cargo` or `.nvm/…/v24.1.0`: the folder above a `bin`
 * unless it is hidden itself, else the folder on the PATH.
 */
export function findToolFolders(given: readonly string[], path: string): string[] {
  // Real paths as well: a link may lead into a hidden folder or name one.
  const hidden = [...new Set(given.flatMap((folder) => [folder, realPath(folder)]))]
  const isCovered = (entry: string): boolean =>
    !hidden.includes(entry) && hidden.some((folder) => isBelow(entry, folder))
  const covered = path
    .split(':')
    .filter((entry) => isAbsolute(entry))
    .map((entry) => (isCovered(entry) ? entry : realPath(entry)))
    .filter(isCovered)
  const found = covered.flatMap((entry) => {
    const above = dirname(entry)
    if (!/^(\.?s?bin|shims)$/.test(basename(entry)) || hidden.includes(above)) return [entry]
    return basename(above) === '.local' ? OF_LOCAL.map((name) => join(above, name)) : [above]
  })
  return [...new Set(found)].filter((folder) => existsSync(folder))
}

/**
 * Folders above the programs on the PATH that other users may not enter, such as root's home. Hiding rebuilds them with
 * only what the programs need.
 */
export function findClosedFolders(path: string): string[] {
  const entries = path.split(':').filter((entry) => isAbsolute(entry) && existsSync(entry))
  const closed = entries.flatMap((entry) => findAncestors(entry).find((folder) => !isOpen(folder)) ?? [])
  return [...new Set(closed)]
}

/** The folders above a path, outermost first. */
function findAncestors(path: string): string[] {
  const above = dirname(path)
  return above === '/' ? [] : [...findAncestors(above), above]
}

function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : path
}

function isOpen(folder: string): boolean {
  return (statSync(folder).mode & 0o001) !== 0
}

/** Whether a path is a folder or inside it. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || isBelow(path, folder)
}

/** Whether a path is inside a folder. */
export function isBelow(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`)
}
