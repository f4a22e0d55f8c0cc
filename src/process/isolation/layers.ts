import { existsSync, lstatSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isBelow, isInside } from './tool-folders.ts'

/** A folder that stays in sight. */
export interface Shown {
  /** The folder itself, with no link on the way. */
  readonly real: string
  /** Where it is seen. */
  readonly at: string
}

/** What lies over a path of the machine. */
export interface Layer {
  readonly path: string
  /** Which of the shown folders; undefined: this one is hidden. */
  readonly shown?: number | undefined
  /** Of a hidden one: whether it is a folder or a file. */
  readonly isFolder: boolean
  /** Hidden, and in no other layer. */
  readonly isOutermost: boolean
}

/** What is hidden, and where what is shown is seen: paths without links, so that none is missed under another name. */
export interface Sight {
  readonly hidden: readonly string[]
  readonly shown: readonly Shown[]
}

/** Takes the links out of both lists. What does not exist needs no hiding. */
export function findSight(hidden: readonly string[], shown: readonly string[]): Sight {
  const covered = realPaths(hidden)
  const open = realPaths(shown)
  const isHidden = (path: string): boolean => {
    const around = [...covered, ...open].filter((folder) => isBelow(path, folder))
    const [nearest] = around.sort((a, b) => b.length - a.length)
    return nearest !== undefined && covered.includes(nearest)
  }
  const places = new Map(shown.map((path) => [findPlace(path, isHidden), realpathSync(path)] as const))
  return { hidden: covered, shown: [...places].map(([at, real]) => ({ at, real })) }
}

/**
 * Where a shown folder must be for its given name to lead there: at its own place, unless a link on the way is hidden.
 * Then a folder stands in for the link.
 */
function findPlace(path: string, isHidden: (link: string) => boolean): string {
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
 * What lies over the machine's folders, from the outside in: a hidden folder may hold a shown one, which may hold a
 * hidden one again.
 */
export function findLayers({ hidden, shown }: Sight): Layer[] {
  const covers = hidden.flatMap((path) => {
    const isFolder = statSync(path).isDirectory()
    // What is seen in another place is hidden there too.
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
