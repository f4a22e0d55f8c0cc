import { join } from 'node:path'
import type { Workspace } from '../agent.ts'
import { readTextFile } from '../tools/files.ts'
import { findDefinitions } from './definitions.ts'
import { rankFiles } from './rank.ts'

export interface RepoMapOptions {
  readonly focus: string
  readonly maxBytes: number
  readonly signal: AbortSignal
}

const MAX_PARSED_BYTES = 256 * 1024
const MAX_PER_FILE = 25

/**
 * The most important editable files and their definitions, within a number of bytes. Only files that are shown are parsed,
 * so a large repository costs little more than reading the top of each file.
 */
export async function renderRepoMap(workspace: Workspace, options: RepoMapOptions): Promise<string> {
  const { folder, editablePaths } = workspace
  const ranked = await rankFiles(workspace, options)
  const blocks: string[] = []
  let bytes = 0
  for (const path of ranked) {
    options.signal.throwIfAborted()
    const block = await renderFile(folder, path)
    bytes += Buffer.byteLength(block) + 1
    if (bytes > options.maxBytes) break
    blocks.push(block)
  }
  const rest = editablePaths.length - blocks.length
  return [...blocks, ...(rest > 0 ? [`(${rest} more editable files)`] : [])].join('\n')
}

async function renderFile(folder: string, path: string): Promise<string> {
  const text = await readTextFile(join(folder, path), MAX_PARSED_BYTES)
  const definitions = text === undefined ? [] : await findDefinitions(path, text)
  const lines = definitions
    .slice(0, MAX_PER_FILE)
    .map(({ line, text: said, depth }) => `${'  '.repeat(depth + 1)}${line}: ${said}`)
  const more = definitions.length > MAX_PER_FILE ? [`  (${definitions.length - MAX_PER_FILE} more)`] : []
  return [path, ...lines, ...more].join('\n')
}
