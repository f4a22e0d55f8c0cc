import { type Guard, REFUSALS } from './guard.ts'

/** Files that `scope` allows and the guard protects all the same, for one reason. */
export interface ScopeException {
  readonly why: string
  /** Sorted. */
  readonly paths: readonly string[]
}

/**
 * What remains closed within the scope of a campaign. Agents are told this, `loreley validate` prints it, and the guard refuses by it.
 */
export function findScopeExceptions(guard: Guard, rootPaths: readonly string[]): ScopeException[] {
  const found = new Map<string, string[]>()
  for (const path of rootPaths) {
    const kind = guard.explain(path)?.kind
    if (kind === undefined || kind === 'outside-scope') continue
    const paths = found.get(kind)
    if (paths === undefined) found.set(kind, [path])
    else paths.push(path)
  }
  return Object.entries(REFUSALS).flatMap(([kind, why]) => {
    const paths = found.get(kind)
    return paths === undefined ? [] : [{ why, paths: paths.sort() }]
  })
}
