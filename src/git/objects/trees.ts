import type { ObjectStore } from './object-store.ts'

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

/** The entry at a path of a tree, or undefined. */
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

/** Throws when a tree, or a folder or file on these paths, is not in the repository any more. */
export async function assertPathsStored(
  objects: ObjectStore,
  tree: string,
  paths: readonly string[],
): Promise<void> {
  const found = new Map<string, 'tree' | 'blob'>([[tree, 'tree']])
  for (const path of paths) {
    let folder = tree
    for (const name of path.split('/')) {
      const entry = (await readTree(objects, folder)).find((child) => child.name === name)
      if (entry === undefined) break
      found.set(entry.id, entry.mode === FOLDER_MODE ? 'tree' : 'blob')
      if (entry.mode !== FOLDER_MODE) break
      folder = entry.id
    }
  }
  await Promise.all([...found].map(([id, type]) => objects.assertStored(type, id)))
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

/** The new entry at a path: an object with its mode, or nothing. */
export type TreeEdit = { readonly mode: string; readonly id: string } | undefined

/**
 * `base` with some paths set or removed, with any mode; a folder may be set as a whole. A file where a folder is needed is
 * removed, as in git's own index. Only the folders on the way are read and written; empty ones are removed. Returns
 * undefined for an empty tree.
 */
export async function editTree(
  objects: ObjectStore,
  base: string | undefined,
  edits: ReadonlyMap<string, TreeEdit>,
): Promise<string | undefined> {
  const present = base === undefined ? [] : await readTree(objects, base)
  const entries = new Map<string, TreeEntry>(present.map((entry) => [entry.name, entry]))
  const folders = new Map<string, Map<string, TreeEdit>>()
  for (const [path, edit] of edits) {
    const [name = '', ...rest] = path.split('/')
    if (rest.length > 0) {
      const below = folders.get(name) ?? new Map<string, TreeEdit>()
      folders.set(name, below.set(rest.join('/'), edit))
    } else if (edit === undefined) entries.delete(name)
    else entries.set(name, { name, id: edit.id, mode: edit.mode.replace(/^0+/, '') })
  }
  const edited = await Promise.all(
    [...folders].map(async ([name, below]) => {
      const there = entries.get(name)
      const isFolder = there?.mode === FOLDER_MODE
      return { name, isFolder, id: await editTree(objects, isFolder ? there.id : undefined, below) }
    }),
  )
  for (const { name, isFolder, id } of edited) {
    if (id !== undefined) entries.set(name, { mode: FOLDER_MODE, name, id })
    else if (isFolder) entries.delete(name)
  }
  return entries.size === 0 ? undefined : await objects.write('tree', encodeTree([...entries.values()]))
}

/** The edit that puts a plain file at a path. */
export function fileEdit(id: string): TreeEdit {
  return { mode: '100644', id }
}
