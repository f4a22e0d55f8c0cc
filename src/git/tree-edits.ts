import type { ObjectStore } from './objects.ts'
import { encodeTree, readTree, type TreeEntry } from './trees.ts'

/** What shall stand at a path: an object with its mode, or nothing. */
export type TreeEdit = { readonly mode: string; readonly id: string } | undefined

const FOLDER_MODE = '40000'

/**
 * `base` with some paths set or removed, with any mode; a folder may be set whole. What stands in the way of a
 * path (a file where a folder is needed) goes, as in git's own index. Only the folders on the way are read and
 * written; one that becomes empty goes. Gives undefined for an empty tree.
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
