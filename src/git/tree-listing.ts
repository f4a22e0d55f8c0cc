import { type Repository, runInRepository } from './repository.ts'

export interface ListedEntry {
  readonly mode: string
  readonly type: string
  readonly id: string
  readonly size: number | undefined
  readonly path: string
}

/** The entries of a tree; recursively also the folders themselves, as GitHub lists them. */
export async function listTree(
  repository: Repository,
  tree: string,
  recursive: boolean,
): Promise<ListedEntry[]> {
  const args = ['ls-tree', '-z', '--long', '--full-tree', ...(recursive ? ['-r', '-t'] : []), tree]
  const output = await runInRepository(repository, args)
  return output
    .toString('utf8')
    .split('\0')
    .filter(Boolean)
    .map((line) => {
      const tab = line.indexOf('\t')
      const [mode = '', type = '', id = '', size = '-'] = line.slice(0, tab).split(/ +/)
      return { mode, type, id, size: size === '-' ? undefined : Number(size), path: line.slice(tab + 1) }
    })
}
