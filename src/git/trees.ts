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
