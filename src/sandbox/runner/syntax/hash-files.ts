import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import picomatch from 'picomatch'

/** The function `hashFiles`: a hash over the hashes of all matching files. Empty when none matches. */
export function hashFiles(workspace: string | undefined, patterns: readonly string[]): string {
  if (workspace === undefined) return ''
  const wanted = picomatch(patterns.filter((pattern) => !pattern.startsWith('!')).map(relative), {
    dot: true,
  })
  const unwanted = picomatch(
    patterns.filter((pattern) => pattern.startsWith('!')).map((pattern) => relative(pattern.slice(1))),
    { dot: true },
  )
  const files = readdirSync(workspace, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => {
      const path = file.slice(workspace.length + 1)
      return wanted(path) && !unwanted(path)
    })
    .sort()
  if (files.length === 0) return ''
  const whole = createHash('sha256')
  for (const file of files) whole.update(createHash('sha256').update(readFileSync(file)).digest())
  return whole.digest('hex')
}

function relative(pattern: string): string {
  return pattern.replace(/^\.\//, '')
}
