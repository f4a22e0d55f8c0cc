import type { ObjectStore } from './objects.ts'

export interface TreeEntry {
  readonly mode: string
  readonly name: string
  readonly id: string
}

const FOLDER_MODE = '40000'

/** The entries of one tree object. */
export async function readTree(objects: ObjectStore, id: string): Promise<TreeEntry[]> {
  const content = await objects.get(id, 'tree')
  const idBytes = id.length / 2
  const entries: TreeEntry[] = []
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at)
    const nul = content.indexOf(0, space)
    entries.push({
      mode: content.toString('latin1', at, space),
      name: content.toString('utf8', space + 1, nul),
      id: content.toString('hex', nul + 1, nul + 1 + idBytes),
    })
    at = nul + 1 + idBytes
  }
  return entries
}

/** What stands at a path of a tree, or undefined. */
export async function findInTree(
  objects: ObjectStore,
  tree: string,
  path: string,
): Promise<TreeEntry | undefined> {
  let entry: TreeEntry | undefined = { mode: FOLDER_MODE, name: '', id: tree }
  for (const name of path.split('/')) {
    if (entry?.mode !== FOLDER_MODE) return undefined
    entry = (await readTree(objects, entry.id)).find((child) => child.name === name)
  }
  return entry
}

/** Blob ids by path to set; undefined removes the path. */
export type TreeChanges = ReadonlyMap<string, string | undefined>

/**
 * A new tree: `base` with some paths set or removed. Only the folders on the way are read and written.
 * A folder that becomes empty goes. The names are our own documents': plain ASCII, never a clash of file and folder.
 */
export async function updateTree(
  objects: ObjectStore,
  base: string | undefined,
  changes: TreeChanges,
): Promise<string | undefined> {
  const entries = new Map(
    (base === undefined ? [] : await readTree(objects, base)).map((entry) => [entry.name, entry]),
  )
  const folders = new Map<string, Map<string, string | undefined>>()
  for (const [path, id] of changes) {
    const slash = path.indexOf('/')
    if (slash < 0) {
      if (id === undefined) entries.delete(path)
      else entries.set(path, { mode: '100644', name: path, id })
      continue
    }
    const name = path.slice(0, slash)
    const below = folders.get(name) ?? new Map<string, string | undefined>()
    folders.set(name, below.set(path.slice(slash + 1), id))
  }
  const updated = await Promise.all(
    [...folders].map(async ([name, below]) => ({
      name,
      id: await updateTree(objects, entries.get(name)?.id, below),
    })),
  )
  for (const { name, id } of updated) {
    if (id === undefined) entries.delete(name)
    else entries.set(name, { mode: FOLDER_MODE, name, id })
  }
  return entries.size === 0 ? undefined : await objects.write('tree', encodeTree([...entries.values()]))
}

/** The bytes of a tree object. */
export function encodeTree(entries: readonly TreeEntry[]): Buffer {
  // git orders folders as if their names ended with a slash.
  const key = (entry: TreeEntry): Buffer =>
    Buffer.from(entry.mode === FOLDER_MODE ? `${entry.name}/` : entry.name)
  const sorted = entries
    .map((entry) => ({ entry, key: key(entry) }))
    .sort((a, b) => Buffer.compare(a.key, b.key))
  return Buffer.concat(
    sorted.flatMap(({ entry }) => [
      Buffer.from(`${entry.mode} ${entry.name}\0`),
      Buffer.from(entry.id, 'hex'),
    ]),
  )
}
