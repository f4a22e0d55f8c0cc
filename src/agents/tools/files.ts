import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

// Created by the setup: no candidate may change them, and they would drown everything else.
const SKIPPED = new Set(['.git', 'node_modules', '.venv', '__pycache__', 'target'])

/** Regular files below a folder, as posix paths from it, in order. Links are not followed. */
export async function* walk(folder: string, below = ''): AsyncGenerator<string> {
  const entries = await readdir(join(folder, below), { withFileTypes: true })
  entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const entry of entries) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`
    if (entry.isDirectory() && !SKIPPED.has(entry.name)) yield* walk(folder, path)
    else if (entry.isFile()) yield path
  }
}

/** The text of a file; undefined when it is too large or not UTF-8 text. */
export async function readTextFile(absolute: string, maxBytes: number): Promise<string | undefined> {
  if ((await stat(absolute)).size > maxBytes) return undefined
  const bytes = await readFile(absolute)
  if (bytes.includes(0)) return undefined
  const text = bytes.toString('utf8')
  return Buffer.byteLength(text) === bytes.length ? text : undefined
}
