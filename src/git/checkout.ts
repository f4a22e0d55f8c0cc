import { lutimes, mkdir, rm, rmdir, symlink, utimes, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { FileVersion } from './listing.ts'
import type { ObjectStore } from './objects/object-store.ts'

// All files of a checkout get the same old date, so a later change of the same size within the same second is still
// noticed.
const CHECKOUT_SECONDS = 1_000_000_000

/**
 * The date for files that differ from the checkout. With the checkout's date, the root's index would treat them as
 * unchanged.
 */
export const CHANGED_SECONDS = CHECKOUT_SECONDS + 1

const AT_ONCE = 32

/** A file to write, or to remove when `version` is undefined. */
export interface FileToWrite {
  readonly pathBytes: Buffer
  readonly version: FileVersion | undefined
}

/**
 * Writes files of the repository into a folder, byte for byte: no filters, no line-end conversion.
 * Whatever is at the path of a file is replaced. Submodules become empty folders, as in a clone without them.
 */
export async function writeFilesTo(
  folder: string,
  files: readonly FileToWrite[],
  objects: ObjectStore,
  seconds = CHECKOUT_SECONDS,
): Promise<void> {
  const placed = files.map(({ pathBytes, version }) => ({
    target: Buffer.concat([Buffer.from(`${folder}/`), pathBytes]),
    version,
  }))
  // Removals come first: a file may replace a folder, and a folder a file.
  for (const { target, version } of placed) {
    if (version === undefined) await removeFile(target, folder)
  }
  const made = new Set<string>()
  for (let start = 0; start < placed.length; start += AT_ONCE) {
    const some = placed.slice(start, start + AT_ONCE)
    await Promise.all(
      some.map(async ({ target, version }) => {
        if (version !== undefined) await writeOne(target, version, { objects, made, seconds })
      }),
    )
  }
}

// Like git, removes folders that become empty.
async function removeFile(target: Buffer, folder: string): Promise<void> {
  await rm(target, { force: true })
  let parent = parentOf(target)
  while (parent.length > Buffer.byteLength(folder)) {
    try {
      await rmdir(parent)
    } catch {
      return
    }
    parent = parentOf(parent)
  }
}

interface Writing {
  readonly objects: ObjectStore
  readonly made: Set<string>
  readonly seconds: number
}

async function writeOne(target: Buffer, { mode, blob }: FileVersion, writing: Writing): Promise<void> {
  const { objects, made, seconds } = writing
  if (mode === '160000') {
    await mkdir(target, { recursive: true })
    return
  }
  const parent = parentOf(target)
  if (!made.has(parent.toString('latin1'))) {
    await mkdir(parent, { recursive: true })
    made.add(parent.toString('latin1'))
  }
  const content = await objects.get(blob, 'blob')
  if (mode === '120000') {
    await inPlaceOf(target, () => symlink(content, target))
    await lutimes(target, seconds, seconds)
    return
  }
  const permissions = mode === '100755' ? 0o755 : 0o644
  await inPlaceOf(target, () => writeFile(target, content, { mode: permissions, flag: 'wx' }))
  await utimes(target, seconds, seconds)
}

// Do not overwrite: the target may be a link to elsewhere, read-only, of another mode, or a folder.
async function inPlaceOf(target: Buffer, create: () => Promise<void>): Promise<void> {
  try {
    await create()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    await rm(target, { recursive: true, force: true })
    await create()
  }
}

function parentOf(target: Buffer): Buffer {
  return Buffer.from(dirname(target.toString('latin1')), 'latin1')
}
