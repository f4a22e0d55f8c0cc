import { execFile } from 'node:child_process'
import type { Isolation } from '../isolation/isolation.ts'

/** A part of a file system: what is left of it, or what a folder takes. */
export interface Room {
  readonly bytes: number
  readonly files: number
}

/** A folder, and what it is a copy of: that much it took at first. */
export interface MeasuredFolder {
  readonly folder: string
  readonly template: string
  readonly path: string
  /** Whose user the folder was given to; without one it is ours. */
  readonly isolation?: Isolation | undefined
}

const MAX_OUTPUT_BYTES = 16 * 1024 ** 2

const SIZES = `for folder; do
  du -sk "$folder" 2>/dev/null | cut -f1
  find "$folder" 2>/dev/null | wc -l
done`
// Files that were unlinked are in no folder any more, and take room as long as a process has them open. From outside
// they are seen under the same name, since the folder is at its own place inside of namespaces too.
const OPEN_FILES = `find /proc/[0-9]*/fd -lname "$1" -exec stat -L -c '%h %d:%i %b' {} + 2>/dev/null`

/** What a folder takes beyond what it was copied from, with what processes hold open there. */
export async function measureFolder({ folder, template, path, isolation }: MeasuredFolder): Promise<Room> {
  const env = { PATH: path }
  const shell = (script: string) => ['sh', '-c', script, 'sh']
  const pattern = `${folder.replaceAll(/[[\]*?\\]/g, '\\$&')}/*`
  const [sizes, openFiles] = await Promise.all([
    ask([...(isolation?.searching ?? []), ...shell(SIZES), folder, template], env),
    ask([...(isolation?.rank ?? []), ...shell(OPEN_FILES), pattern], env),
  ])
  const [ownKilobytes = 0, ownFiles = 0, kilobytes = 0, files = 0] = sizes.trim().split(/\s+/).map(Number)
  return {
    bytes: Math.max(0, ownKilobytes - kilobytes) * 1024 + sumUnlinked(openFiles),
    files: Math.max(0, ownFiles - files),
  }
}

function sumUnlinked(openFiles: string): number {
  const blocks = new Map<string, number>()
  for (const [, id = '', count] of openFiles.matchAll(/^0 (\S+) (\d+)$/gm)) {
    // Many processes may hold the same file.
    blocks.set(id, Number(count))
  }
  return [...blocks.values()].reduce((sum, count) => sum + count * 512, 0)
}

// However it ends: a folder that changes all the time makes du complain, and what it printed is what we have.
async function ask(
  [program = '', ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<string> {
  return await new Promise((resolve) => {
    execFile(program, args, { env, maxBuffer: MAX_OUTPUT_BYTES }, (_error, stdout) => resolve(stdout))
  })
}
