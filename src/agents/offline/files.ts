import { lstat, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Workspace } from '../agent.ts'
import { findGrammar } from '../grammars.ts'

const MAX_FILE_BYTES = 256 * 1024

/** A file that may be edited, and its weight in the draw. */
export interface EditableFile {
  readonly path: string
  readonly weight: number
}

/** The regular files of the editable scope that are small enough to be edited. */
export async function listFiles({ folder, editablePaths }: Workspace): Promise<EditableFile[]> {
  const files: EditableFile[] = []
  for (const path of editablePaths) {
    // lstat: the target of a link may be outside the scope or the folder.
    const stats = await lstat(join(folder, path)).catch(missing)
    if (stats === undefined || !stats.isFile() || stats.size === 0 || stats.size > MAX_FILE_BYTES) continue
    // Longer files have more to edit, but must not crowd out short ones.
    files.push({ path, weight: Math.sqrt(Math.min(stats.size, 16 * 1024)) })
  }
  return favourCode(files)
}

// Files without a grammar are mostly prose and data. Next to code, they share a tenth of the draws.
function favourCode(files: readonly EditableFile[]): EditableFile[] {
  const isCode = ({ path }: EditableFile) => findGrammar(path) !== undefined
  const code = totalWeight(files.filter(isCode))
  const rest = totalWeight(files) - code
  if (code === 0 || rest === 0) return [...files]
  const share = Math.min(1, (0.1 * code) / rest)
  return files.map((file) => (isCode(file) ? file : { ...file, weight: file.weight * share }))
}

function totalWeight(files: readonly EditableFile[]): number {
  return files.reduce((total, { weight }) => total + weight, 0)
}

/** The file's text, byte-order mark and line endings kept; undefined when it is not UTF-8 text. */
export async function readText({ folder }: Workspace, path: string): Promise<string | undefined> {
  const bytes = await readFile(join(folder, path))
  if (bytes.includes(0)) return undefined
  const text = bytes.toString('utf8')
  return Buffer.from(text, 'utf8').equals(bytes) ? text : undefined
}

/** Replaces the text of the file. */
export async function writeText({ folder }: Workspace, path: string, text: string): Promise<void> {
  await writeFile(join(folder, path), text)
}

function missing(error: unknown): undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
  throw error
}
