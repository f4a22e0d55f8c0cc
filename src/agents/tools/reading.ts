import { join, posix } from 'node:path'
import * as z from 'zod'
import { renderRepoMap } from '../repo-map/render.ts'
import { readTextFile, walk } from './files.ts'
import { locate } from './locate.ts'
import { defineTool, done, failed } from './tool.ts'

const MAX_LISTED = 400
const MAX_FOUND = 80
const MAX_READ_LINES = 600
const MAX_LINE = 400
const MAX_FILE_BYTES = 1024 * 1024

export const listFiles = defineTool({
  name: 'list_files',
  description: 'Lists the files below a folder.',
  input: z.strictObject({ folder: z.string().default('').describe('From the root; empty for all.') }),
  run: async ({ folder }, { workspace, signal }) => {
    const located = await locate(workspace, folder)
    if (located.status === 'refused') return failed(located.reason)
    if (located.status !== 'folder') return failed(`${folder} is not a folder`)
    const listed: string[] = []
    let total = 0
    for await (const path of walk(workspace.folder, located.path)) {
      signal.throwIfAborted()
      if (++total <= MAX_LISTED) listed.push(path)
    }
    const more = total > MAX_LISTED ? [`(${total - MAX_LISTED} more: name a folder below)`] : []
    return done([...listed, ...more].join('\n') || '(no files)')
  },
})

export const searchText = defineTool({
  name: 'search_text',
  description: 'Finds the lines that contain a text, as path:line: text. Not a pattern: the text itself.',
  input: z.strictObject({
    text: z.string().min(1).max(500),
    folder: z.string().default('').describe('From the root; empty for all.'),
    ignore_case: z.boolean().default(false),
  }),
  run: async ({ text, folder, ignore_case }, { workspace, signal }) => {
    const located = await locate(workspace, folder)
    if (located.status === 'refused') return failed(located.reason)
    if (located.status === 'absent') return failed(`there is no ${folder}`)
    const fold = (line: string): string => (ignore_case ? line.toLowerCase() : line)
    const paths = located.status === 'file' ? [located.path] : walk(workspace.folder, located.path)
    const found: string[] = []
    for await (const path of paths) {
      signal.throwIfAborted()
      const content = await readTextFile(join(workspace.folder, path), MAX_FILE_BYTES)
      if (content === undefined || !fold(content).includes(fold(text))) continue
      for (const [index, line] of content.split('\n').entries()) {
        if (fold(line).includes(fold(text))) found.push(`${path}:${index + 1}: ${line.slice(0, MAX_LINE)}`)
        if (found.length >= MAX_FOUND) return done([...found, '(there is more: search a folder)'].join('\n'))
      }
    }
    return done(found.join('\n') || '(not found)')
  },
})

export const readFileLines = defineTool({
  name: 'read_file',
  description: `Shows a file with line numbers, at most ${MAX_READ_LINES} lines at once.`,
  input: z.strictObject({
    path: z.string(),
    from: z.int().min(1).default(1).describe('The first line.'),
    to: z.int().min(1).optional().describe('The last line.'),
  }),
  run: async ({ path, from, to }, { workspace }) => {
    const located = await locate(workspace, path)
    if (located.status === 'refused') return failed(located.reason)
    if (located.status !== 'file') return failed(await explainAbsent(workspace.folder, path))
    const text = await readTextFile(located.absolute, MAX_FILE_BYTES)
    if (text === undefined) return failed(`${path} is not text, or larger than ${MAX_FILE_BYTES} bytes`)
    const lines = text.replace(/\n$/, '').split('\n')
    const last = Math.min(to ?? lines.length, lines.length, from + MAX_READ_LINES - 1)
    const shown = lines.slice(from - 1, last).map((line, index) => `${from + index}\t${line.slice(0, 2000)}`)
    const more = last < lines.length ? [`(${lines.length} lines in all)`] : []
    return done([...shown, ...more].join('\n') || '(empty)')
  },
})

/** Suggests existing paths when a model names a missing file. */
async function explainAbsent(folder: string, path: string): Promise<string> {
  const name = posix.basename(path)
  const others: string[] = []
  for await (const other of walk(folder)) {
    if (posix.basename(other) === name) others.push(other)
    if (others.length >= 5) break
  }
  const hint = others.length === 0 ? 'see list_files' : `did you mean ${others.join(' or ')}?`
  return `there is no file ${path}; ${hint}`
}

const MAP_BYTES = 8000

export const showRepoMap = defineTool({
  name: 'repo_map',
  description: 'Shows the most important editable files and what they define, with line numbers.',
  input: z.strictObject({
    about: z
      .string()
      .max(500)
      .default('')
      .describe('Words that matter now; files that contain them come first.'),
  }),
  run: async ({ about }, { workspace, focus, signal }) =>
    done(await renderRepoMap(workspace, { focus: `${about} ${focus}`, maxBytes: MAP_BYTES, signal })),
})
