import { foldName } from './path-names.ts'

/**
 * Changes with conflicting paths: the same path twice, names that differ only by case or Unicode form (`Src/a` and `src/b`
 * too), and a file where another path needs a folder.
 */
export function findCollisions<T extends { readonly path: string }>(changes: readonly T[]): readonly T[] {
  const claims = new Map<string, Claim>()
  for (const { path } of changes) {
    for (const { fold, spelling, isFile } of stepsOf(path)) {
      const claim = claims.get(fold) ?? { spellings: new Set(), files: 0, isFolder: false }
      claim.spellings.add(spelling)
      if (isFile) claim.files++
      else claim.isFolder = true
      claims.set(fold, claim)
    }
  }
  return changes.filter(({ path }) => stepsOf(path).some(({ fold }) => isContested(claims.get(fold))))
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

/** What the changes claim about one path of the tree, in all its spellings. */
interface Claim {
  readonly spellings: Set<string>
  files: number
  isFolder: boolean
}

function isContested(claim: Claim | undefined): boolean {
  return (
    claim !== undefined &&
    (claim.spellings.size > 1 || claim.files > 1 || (claim.files > 0 && claim.isFolder))
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
