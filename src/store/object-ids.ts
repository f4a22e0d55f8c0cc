import { createHash } from 'node:crypto'
import { encodeTree, type TreeEntry } from '../git/objects/trees.ts'

/** Git's id of a file's content. SHA-1 only, because GitHub supports no other. */
export function blobId(content: string | Uint8Array): string {
  return objectId('blob', Buffer.from(content))
}

/** The id of the tree with these paths, including their folders; undefined if there are none. */
export function treeId(files: ReadonlyMap<string, TreeFile>): string | undefined {
  const entries: TreeEntry[] = []
  const folders = new Map<string, Map<string, TreeFile>>()
  for (const [path, file] of files) {
    const slash = path.indexOf('/')
    if (slash < 0) entries.push({ name: path, mode: file.mode, id: file.id })
    else {
      const name = path.slice(0, slash)
      const below = folders.get(name) ?? new Map<string, TreeFile>()
      folders.set(name, below.set(path.slice(slash + 1), file))
    }
  }
  for (const [name, below] of folders) {
    const id = treeId(below)
    if (id !== undefined) entries.push({ name, mode: FOLDER_MODE, id })
  }
  return entries.length === 0 ? undefined : objectId('tree', encodeTree(entries))
}

/** An entry of a tree. A folder may represent everything below it. */
export interface TreeFile {
  readonly mode: string
  readonly id: string
}

const FOLDER_MODE = '40000'

function objectId(type: 'blob' | 'tree', content: Buffer): string {
  return createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex')
}
