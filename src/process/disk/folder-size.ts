import { execFile } from 'node:child_process'
import type { Isolation } from '../isolation/isolation.ts'

/** Space on a file system: free, or used by a folder. */
export interface Room {
  readonly bytes: number
  readonly files: number
}

/** A folder and the template it was copied from, if it is a copy: what was copied does not count. */
export interface MeasuredFolder {
  readonly folder: string
  readonly template?: string | undefined
  readonly path: string
  /** The isolation whose user owns the folder; without one it is ours. */
  readonly isolation?: Isolation | undefined
}

const MAX_OUTPUT_BYTES = 16 * 1024 ** 2

const SIZES = `for folder; do
  du -sk "$folder" 2>/dev/null | cut -f1
  find "$folder" 2>/dev/null | wc -l
done`
// Unlinked files use space as long as a process has them open. They show the same path from outside, because the folder
// has the same path inside the namespaces.
const OPEN_FILES = `find /proc/[0-9]*/fd -lname "$1" -exec stat -L -c '%h %d:%i %b' {} + 2>/dev/null`

/** What a folder uses beyond its template, including unlinked files that processes hold open. */
export async function measureFolder({ folder, template, path, isolation }: MeasuredFolder): Promise<Room> {
  const env = { PATH: path }
  const shell = (script: string) => ['sh', '-c', script, 'sh']
  const pattern = `${folder.replaceAll(/[[\]*?\\]/g, '\\$&')}/*`
  const [sizes, openFiles] = await Promise.all([
    ask(
      [
        ...(isolation?.searching ?? []),
        ...shell(SIZES),
        folder,
        ...(template === undefined ? [] : [template]),
      ],
      env,
    ),
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

// The exit code does not matter: du complains about a folder that changes, but its output still counts.
async function ask(
  [program = '', ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<string> {
  return await new Promise((resolve) => {
    execFile(program, args, { env, maxBuffer: MAX_OUTPUT_BYTES }, (_error, stdout) => resolve(stdout))
  })
}
