import { foldName } from './path-names.ts'

/**
 * The changes whose paths get in each other's way: the same path twice, names that differ only by case or
 * Unicode form (`Src/a` and `src/b` too), and a file where another path needs a folder.
 */
export function findCollisions<T extends { readonly path: string }>(changes: readonly T[]): readonly T[] {
  const places = new Map<string, Place>()
  for (const { path } of changes) {
    for (const { fold, spelling, isFile } of stepsOf(path)) {
      const place = places.get(fold) ?? { spellings: new Set(), files: 0, isFolder: false }
      place.spellings.add(spelling)
      if (isFile) place.files++
      else place.isFolder = true
      places.set(fold, place)
    }
  }
  return changes.filter(({ path }) => stepsOf(path).some(({ fold }) => isContested(places.get(fold))))
}

/** The new files that differ only by case or Unicode form from a path of the base, or need a folder that does. */
export function findTwins<T extends { readonly path: string; readonly before?: unknown }>(
  changes: readonly T[],
  basePaths: readonly string[],
): readonly T[] {
  const added = changes.filter(({ before }) => before === undefined)
  if (added.length === 0) return []
  const wanted = new Set(added.flatMap(({ path }) => stepsOf(path).map(({ fold }) => fold)))
  const spellings = new Map<string, string>()
  for (const path of basePaths) {
    for (const step of stepsOf(path)) if (wanted.has(step.fold)) spellings.set(step.fold, step.spelling)
  }
  return added.filter(({ path }) =>
    stepsOf(path).some(({ fold, spelling }) => (spellings.get(fold) ?? spelling) !== spelling),
  )
}

/** What the changes say about one place of the tree, all its spellings together. */
interface Place {
  readonly spellings: Set<string>
  files: number
  isFolder: boolean
}

function isContested(place: Place | undefined): boolean {
  return (
    place !== undefined &&
    (place.spellings.size > 1 || place.files > 1 || (place.files > 0 && place.isFolder))
  )
}

/** The path and the folders above it. */
function stepsOf(path: string): { fold: string; spelling: string; isFile: boolean }[] {
  const names = path.split('/')
  return names.map((_, index) => {
    const spelling = names.slice(0, index + 1).join('/')
    return { fold: foldName(spelling), spelling, isFile: index === names.length - 1 }
  })
}
