import { realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { removeFolder } from '../../process/disk/remove-folder.ts'
import type { Isolation } from '../../process/isolation/isolation.ts'
import { readPlainFile } from './plain-file.ts'

/** The file that an evaluator writes its metrics to. Its path is relative to the candidate's files. */
export interface MetricsFile {
  readonly folder: string
  readonly path: string
}

/** Removes the file, whatever it is. */
export async function removeMetricsFile(file: MetricsFile, isolation: Isolation | undefined): Promise<void> {
  const target = await findInFolder(file)
  if (target === undefined) return
  if (isolation === undefined) await removeFolder(target)
  else await isolation.remove(target)
}

/** The text of the file, cut at `maxBytes`; undefined when it cannot be read. */
export async function readMetricsFile(file: MetricsFile, maxBytes: number): Promise<string | undefined> {
  try {
    const target = await findInFolder(file)
    return target && (await readPlainFile(target, maxBytes))?.toString('utf8')
  } catch {
    return undefined
  }
}

// The file's path if it lies in the candidate's folder. A parent folder may be a link, and we may read and remove what
// the candidate may not.
async function findInFolder({ folder, path }: MetricsFile): Promise<string | undefined> {
  const root = await realpath(folder)
  const parent = await realpath(dirname(join(root, path))).catch(() => undefined)
  if (parent === undefined || !`${parent}/`.startsWith(`${root}/`)) return undefined
  return join(parent, basename(path))
}
