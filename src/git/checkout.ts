import { lutimes, mkdir, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { FileVersion } from './listing.ts'
import type { ObjectStore } from './objects.ts'

// Files of a checkout carry one old date: whatever is written later has another one, so that a change of
// the same size within the same second is still seen.
const CHECKOUT_SECONDS = 1_000_000_000

const AT_ONCE = 32

/** A file to write, or to remove when `version` is undefined. */
export interface FileToWrite {
  readonly pathBytes: Buffer
  readonly version: FileVersion | undefined
}

/**
 * Writes files of the repository into a folder, byte for byte: no filters, no line-end conversion.
 * Submodules become empty folders, as in a clone without them.
 */
export async function writeFilesTo(
  folder: string,
  files: readonly FileToWrite[],
  objects: ObjectStore,
): Promise<void> {
  const made = new Set<string>()
  for (let start = 0; start < files.length; start += AT_ONCE) {
    await Promise.all(
      files.slice(start, start + AT_ONCE).map((file) => writeOne(folder, file, objects, made)),
    )
  }
}

async function writeOne(
  folder: string,
  file: FileToWrite,
  objects: ObjectStore,
  made: Set<string>,
): Promise<void> {
  const target = Buffer.concat([Buffer.from(`${folder}/`), file.pathBytes])
  if (file.version === undefined) {
    await rm(target.toString('utf8'), { force: true })
    return
  }
  const { mode, blob } = file.version
  if (mode === '160000') {
    await mkdir(target, { recursive: true })
    return
  }
  const parent = dirname(target.toString('latin1'))
  if (!made.has(parent)) {
    await mkdir(Buffer.from(parent, 'latin1'), { recursive: true })
    made.add(parent)
  }
  const content = await objects.get(blob, 'blob')
  if (mode === '120000') {
    await rm(target.toString('utf8'), { force: true })
    await symlink(content, target)
    await lutimes(target, CHECKOUT_SECONDS, CHECKOUT_SECONDS)
    return
  }
  await writeFile(target, content, { mode: mode === '100755' ? 0o755 : 0o644 })
  await utimes(target, CHECKOUT_SECONDS, CHECKOUT_SECONDS)
}
