/**
 * JSON with sorted keys and no undefined: equal values give equal bytes. One line, or indented for people.
 * Throws a RangeError on a number that is not finite, because JSON would turn it into null.
 */
export function canonicalJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, sortKeys, indent) ?? 'null'
}

function sortKeys(key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new RangeError(`canonicalJson: ${key} is ${value}`)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
