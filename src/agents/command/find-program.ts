import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import type { Health } from '../agent.ts'

// Words that come before the program in a shell line: variables that are set, and these.
const BEFORE = /^(?:\s*(?:[A-Za-z_][A-Za-z0-9_]*=\S*|exec|env|npx|time)\s+)*/

/** Whether the program that a shell line begins with can be found. */
export async function findProgram(line: string, path: string): Promise<Health> {
  const name = line.replace(BEFORE, '').match(/^[^\s;|&<>()]+/)?.[0] ?? line
  const what = `program ${name}`
  // A path is looked up in the candidate's folder, which does not exist yet.
  if (name.includes('/')) return { what, ok: true, detail: 'is a path in the repository: not looked up' }
  for (const folder of path.split(':').filter((each) => each !== '')) {
    const file = join(folder, name)
    const isThere = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (isThere) return { what, ok: true, detail: `is ${file}` }
  }
  return { what, ok: false, detail: 'is not in PATH' }
}
