import { createHash } from 'node:crypto'
import { lstat, mkdir, readdir, readFile, readlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { LoreleyError } from '../../errors.ts'
import type { FileToWrite } from '../../git/checkout.ts'
import { tryProgram } from '../../process/try-program.ts'

/** A candidate's own files over a shared folder. */
export interface LayeredFiles {
  readonly lower: string
  readonly upper: string
}

/**
 * Hides files of the shared folder that the candidate removed, and folders of which nothing is left. The kernel takes a
 * device without a number for a removed file.
 */
export async function hideRemoved(
  { lower, upper }: LayeredFiles,
  changes: readonly FileToWrite[],
  path: string,
): Promise<void> {
  const added = changes.filter(({ version }) => version !== undefined).map(nameOf)
  const gone = changes.filter(({ version }) => version === undefined).map(nameOf)
  // A file in place of a folder hides everything below it.
  const removed = gone.filter((name) => !added.some((each) => name.startsWith(`${each}/`)))
  if (removed.length === 0) return
  for (const name of await findGone(lower, removed, added)) {
    const target = join(upper, name)
    if ((await isThere(target)) || !(await isThere(join(lower, name)))) continue
    await mkdir(dirname(target), { recursive: true })
    const failure = await tryProgram(['mknod', target, 'c', '0', '0'], { PATH: path })
    if (failure === undefined) continue
    const hint = 'Check that the disk is not full, then run the command again. It resumes.'
    throw new LoreleyError('internal', `Hiding ${name} failed: ${failure}`, hint)
  }
}

/** The outermost paths of which nothing is left. */
async function findGone(
  lower: string,
  removed: readonly string[],
  added: readonly string[],
): Promise<string[]> {
  const gone = new Set(removed)
  // The deepest first: a folder is gone when everything in it is.
  for (const name of removed.toSorted((a, b) => b.split('/').length - a.split('/').length)) {
    for (let folder = dirname(name); folder !== '.'; folder = dirname(folder)) {
      const names = await readdir(join(lower, folder)).catch(() => [])
      if (added.some((each) => each.startsWith(`${folder}/`))) break
      if (names.some((each) => !gone.has(join(folder, each)))) break
      gone.add(folder)
    }
  }
  return [...gone].filter((name) => !gone.has(dirname(name)))
}

/** The first path at which a file is not what its id says. */
export async function findUnwritten(
  folder: string,
  changes: readonly FileToWrite[],
): Promise<string | undefined> {
  for (const { pathBytes, version } of changes) {
    // A submodule is an empty folder.
    if (version === undefined || version.mode === '160000') continue
    const target = Buffer.concat([Buffer.from(`${folder}/`), pathBytes])
    const isLink = (await lstat(target)).isSymbolicLink()
    const content = isLink ? await readlink(target, 'buffer') : await readFile(target)
    const isRight =
      isLink === (version.mode === '120000') && blobId(content, version.blob.length) === version.blob
    if (!isRight) return pathBytes.toString('utf8')
  }
  return undefined
}

// The length of an id tells the repository's hash: 40 digits are SHA-1, 64 are SHA-256.
function blobId(content: Buffer, idLength: number): string {
  return createHash(idLength === 64 ? 'sha256' : 'sha1')
    .update(`blob ${content.length}\0`)
    .update(content)
    .digest('hex')
}

/** Whether all names are UTF-8: `mknod` can be given no others. */
export function canLayer(changes: readonly FileToWrite[]): boolean {
  return changes.every((change) => Buffer.from(nameOf(change)).equals(change.pathBytes))
}

function nameOf({ pathBytes }: FileToWrite): string {
  return pathBytes.toString('utf8')
}

async function isThere(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    () => false,
  )
}
