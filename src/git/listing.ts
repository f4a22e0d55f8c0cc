import { type Repository, runInRepository } from './repository.ts'

/** One file of a tree. `pathBytes` is the name as git has it, which need not be valid UTF-8. */
export interface TreeFile {
  readonly path: string
  readonly pathBytes: Buffer
  readonly mode: string
  readonly blob: string
}

export interface FileVersion {
  readonly mode: string
  readonly blob: string
}

/** A path that differs between two trees; a missing side means that the file does not exist there. */
export interface PathChange {
  readonly path: string
  readonly pathBytes: Buffer
  readonly before?: FileVersion | undefined
  readonly after?: FileVersion | undefined
}

/** All files of a tree, recursively, in git's order. */
export async function listFiles(repository: Repository, tree: string): Promise<TreeFile[]> {
  const output = await runInRepository(repository, ['ls-tree', '-r', '-z', '--full-tree', tree])
  return splitAtNul(output).map((line) => {
    const tab = line.indexOf(0x09)
    const [mode = '', , blob = ''] = line.toString('latin1', 0, tab).split(' ')
    const pathBytes = line.subarray(tab + 1)
    return { path: pathBytes.toString('utf8'), pathBytes, mode, blob }
  })
}

// The guard, the proposal and the measurement of one candidate ask for the same few. Trees never change.
const RECENT_DIFFS = 64
const recentDiffs = new WeakMap<Repository, Map<string, Promise<PathChange[]>>>()

/** What changed between two trees, renames as a removal and an addition, in path order. */
export async function diffTrees(
  repository: Repository,
  from: string,
  to: string,
): Promise<readonly PathChange[]> {
  if (from === to) return []
  const recent = recentDiffs.get(repository) ?? new Map<string, Promise<PathChange[]>>()
  recentDiffs.set(repository, recent)
  const key = `${from} ${to}`
  const known = recent.get(key)
  if (known !== undefined) return await known
  const diff = runDiff(repository, from, to)
  recent.set(key, diff)
  // A fault is not remembered.
  diff.catch(() => recent.delete(key))
  const [oldest] = recent.keys()
  if (recent.size > RECENT_DIFFS && oldest !== undefined) recent.delete(oldest)
  return await diff
}

async function runDiff(repository: Repository, from: string, to: string): Promise<PathChange[]> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', from, to]
  const fields = splitAtNul(await runInRepository(repository, args))
  const changes: PathChange[] = []
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [beforeMode = '', afterMode = '', beforeBlob = '', afterBlob = ''] = (
      fields[index]?.toString('latin1') ?? ''
    )
      .slice(1)
      .split(' ')
    const pathBytes = fields[index + 1] ?? Buffer.alloc(0)
    changes.push({
      path: pathBytes.toString('utf8'),
      pathBytes,
      before: beforeMode === '000000' ? undefined : { mode: beforeMode, blob: beforeBlob },
      after: afterMode === '000000' ? undefined : { mode: afterMode, blob: afterBlob },
    })
  }
  return changes
}

function splitAtNul(bytes: Buffer): Buffer[] {
  const parts: Buffer[] = []
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0, start)
    parts.push(bytes.subarray(start, end < 0 ? bytes.length : end))
    start = end < 0 ? bytes.length : end + 1
  }
  return parts
}

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
