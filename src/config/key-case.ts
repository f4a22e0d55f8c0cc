import { isMapping } from './file/layers.ts'

type CamelKey<Key> = Key extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelKey<Tail>>}` : Key

/** A type with every snake_case key in camelCase, at all depths. */
export type CamelKeys<T> = T extends readonly (infer Item)[]
  ? readonly CamelKeys<Item>[]
  : T extends object
    ? { readonly [Key in keyof T as CamelKey<Key>]: CamelKeys<T[Key]> }
    : T

// Types cannot follow keys that are computed at run time. The two casts below state the result.

// Mappings whose keys belong to the maintainer, not to us.
const OWN_KEYS: ReadonlySet<string> = new Set(['headers', 'query', 'parameters'])

/** A value from the file with its keys in camelCase. */
export function toCamelKeys<T>(value: T): CamelKeys<T> {
  return renameKeys(value, (key) =>
    key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
  ) as CamelKeys<T>
}

/** The inverse of `toCamelKeys`. */
export function toSnakeKeys<T>(value: CamelKeys<T>): T {
  return renameKeys(value, (key) => key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)) as T
}

function renameKeys(value: unknown, rename: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renameKeys(item, rename))
  if (!isMapping(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [
      rename(key),
      OWN_KEYS.has(key) ? child : renameKeys(child, rename),
    ]),
  )
}
