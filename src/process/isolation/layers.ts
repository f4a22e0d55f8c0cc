import { existsSync, lstatSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isBelow, isInside } from './tool-folders.ts'

/** A folder that stays visible. */
export interface Shown {
  /** Its real path, without links. */
  readonly real: string
  /** Where it appears. */
  readonly at: string
}

/** A mount over a path of the machine. */
export interface Layer {
  readonly path: string
  /** The index of the shown folder; undefined for a hidden one. */
  readonly shown?: number | undefined
  /** For a hidden one: whether it is a folder or a file. */
  readonly isFolder: boolean
  /** Hidden, and inside no other layer. */
  readonly isOutermost: boolean
}

/** What is hidden and what is shown, as paths without links, so that no alias is missed. */
export interface Sight {
  readonly hidden: readonly string[]
  readonly shown: readonly Shown[]
}

/** Resolves the links in both lists. Missing paths need no hiding. */
export function findSight(hidden: readonly string[], shown: readonly string[]): Sight {
  const covered = realPaths(hidden)
  const open = realPaths(shown)
  const isHidden = (path: string): boolean => {
    const around = [...covered, ...open].filter((folder) => isBelow(path, folder))
    const [nearest] = around.sort((a, b) => b.length - a.length)
    return nearest !== undefined && covered.includes(nearest)
  }
  const targets = new Map(shown.map((path) => [findTarget(path, isHidden), realpathSync(path)] as const))
  return { hidden: covered, shown: [...targets].map(([at, real]) => ({ at, real })) }
}

/**
 * Where a shown folder must appear so that its given path works: at its real path, unless a link on the way is hidden.
 * Then a folder replaces the link.
 */
function findTarget(path: string, isHidden: (link: string) => boolean): string {
  const names = path.split('/').filter((name) => name !== '')
  let at = '/'
  for (const [index, name] of names.entries()) {
    at = join(at, name)
    if (!lstatSync(at).isSymbolicLink()) continue
    if (isHidden(at)) return join(at, ...names.slice(index + 1))
    at = realpathSync(at)
  }
  return at
}

/**
 * The layers from the outside in: a hidden folder may contain a shown one, which may contain a hidden one again.
 */
export function findLayers({ hidden, shown }: Sight): Layer[] {
  const covers = hidden.flatMap((path) => {
    const isFolder = statSync(path).isDirectory()
    // What appears at another path is hidden there too.
    const moved = shown.filter(({ at, real }) => at !== real && isBelow(path, real))
    return [path, ...moved.map(({ at, real }) => at + path.slice(real.length))].map((each) => ({
      path: each,
      shown: undefined,
      isFolder,
    }))
  })
  const all = [...covers, ...shown.map(({ at }, index) => ({ path: at, shown: index, isFolder: true }))]
  const layers: Layer[] = []
  for (const layer of all.sort((a, b) => (a.path < b.path ? -1 : 1))) {
    const around = layers.findLast(({ path }) => isInside(layer.path, path))
    if (layer.shown !== undefined) layers.push({ ...layer, isOutermost: false })
    else if (around === undefined) layers.push({ ...layer, isOutermost: true })
    else if (around.shown !== undefined) layers.push({ ...layer, isOutermost: false })
  }
  return layers
}

function realPaths(paths: readonly string[]): string[] {
  return [...new Set(paths.filter((path) => existsSync(path)).map((path) => realpathSync(path)))]
}
