export type Path = readonly (string | number)[]
export type Mapping = Readonly<Record<string, unknown>>

/** True for a YAML mapping. */
export function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Lays an override over shared values: mappings merge, lists and scalars replace. */
export function mergeLayers(shared: Mapping, override: Mapping): Mapping {
  const merged = new Map(Object.entries(shared))
  for (const [key, value] of Object.entries(override)) {
    const below = merged.get(key)
    merged.set(key, isMapping(below) && isMapping(value) ? mergeLayers(below, value) : value)
  }
  // fromEntries defines own keys, so a key named __proto__ stays a key and is refused as unknown.
  return Object.fromEntries(merged)
}

/** Whether the merged value at a path was written in the override. A merged mapping counts as the override's. */
export function comesFromOverride(shared: unknown, override: unknown, path: Path): boolean {
  for (const key of path) {
    if (!isMapping(override) || !Object.hasOwn(override, key)) return false
    override = override[key]
    shared = isMapping(shared) && Object.hasOwn(shared, key) ? shared[key] : undefined
    if (!isMapping(override) || !isMapping(shared)) return true
  }
  return true
}

/** The value at a path; undefined if part of the path is missing. */
export function findValue(value: unknown, path: Path): unknown {
  let current = value
  for (const key of path) {
    if (Array.isArray(current) && typeof key === 'number') current = current[key]
    else if (isMapping(current) && Object.hasOwn(current, key)) current = current[key]
    else return undefined
  }
  return current
}
