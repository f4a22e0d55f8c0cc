import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import * as z from 'zod'
import { readTextFile } from './files.ts'
import { locateEditable } from './locate.ts'
import { defineTool, done, failed, type ToolContext, type ToolReply } from './tool.ts'

const MAX_FILE_BYTES = 1024 * 1024

export const editFile = defineTool({
  name: 'edit_file',
  description:
    'Replaces a text in a file with another. The old text must occur in the file exactly once, with its blanks and line breaks; include neighbouring lines to make it unique.',
  input: z.strictObject({ path: z.string(), old: z.string().min(1), new: z.string() }),
  run: async ({ path, old, new: replacement }, context) => {
    const located = await locateEditable(context.workspace, path)
    if (located.status === 'refused') return failed(located.reason)
    if (located.status !== 'file') return failed(`there is no file ${path}; write_file creates one`)
    const text = await readTextFile(located.absolute, MAX_FILE_BYTES)
    if (text === undefined) return failed(`${path} is not text, or too large`)
    // A model never sees carriage returns, so it cannot write them.
    const isCrlf = text.includes('\r\n') && !old.includes('\r\n')
    const wanted = isCrlf ? old.replaceAll('\n', '\r\n') : old
    const parts = text.split(wanted)
    if (parts.length !== 2) return failed(explainMiss(path, text, old, parts.length - 1))
    if (old === replacement) return failed('old and new are the same')
    const after = parts.join(isCrlf ? replacement.replaceAll('\n', '\r\n') : replacement)
    return await save(located.absolute, after, context, `changed ${path}`)
  },
})

export const writeWholeFile = defineTool({
  name: 'write_file',
  description: 'Creates a file, or replaces its whole content. For a small change use edit_file.',
  input: z.strictObject({ path: z.string(), content: z.string() }),
  run: async ({ path, content }, context) => {
    const located = await locateEditable(context.workspace, path)
    if (located.status === 'refused') return failed(located.reason)
    return await save(located.absolute, content, context, `wrote ${path}`)
  },
})

export const deleteFile = defineTool({
  name: 'delete_file',
  description: 'Removes a file.',
  input: z.strictObject({ path: z.string() }),
  run: async ({ path }, context) => {
    const located = await locateEditable(context.workspace, path)
    if (located.status === 'refused') return failed(located.reason)
    if (located.status !== 'file') return failed(`there is no file ${path}`)
    context.spendBytes(1)
    await rm(located.absolute)
    return done(`removed ${path}`)
  },
})

export const moveFile = defineTool({
  name: 'move_file',
  description: 'Moves a file to a path that does not exist yet.',
  input: z.strictObject({ from: z.string(), to: z.string() }),
  run: async ({ from, to }, context) => {
    const source = await locateEditable(context.workspace, from)
    if (source.status === 'refused') return failed(source.reason)
    if (source.status !== 'file') return failed(`there is no file ${from}`)
    const target = await locateEditable(context.workspace, to)
    if (target.status === 'refused') return failed(target.reason)
    if (target.status !== 'absent') return failed(`there is already a file ${to}`)
    context.spendBytes(1)
    await mkdir(dirname(target.absolute), { recursive: true })
    await rename(source.absolute, target.absolute)
    return done(`moved ${from} to ${to}`)
  },
})

async function save(absolute: string, text: string, context: ToolContext, said: string): Promise<ToolReply> {
  const bytes = Buffer.byteLength(text)
  if (bytes > MAX_FILE_BYTES) return failed(`a file of ${bytes} bytes is too large`)
  if (!context.spendBytes(bytes)) return failed('your write budget is used up: finish')
  await mkdir(dirname(absolute), { recursive: true })
  await writeFile(absolute, text)
  return done(said)
}

/** Says why the text did not match exactly once, and which lines look like it, so that the next try can succeed. */
function explainMiss(path: string, text: string, old: string, count: number): string {
  if (count > 1)
    return `the text occurs ${count} times in ${path}: include neighbouring lines to make it unique`
  const first = old.split('\n').find((line) => line.trim() !== '') ?? ''
  const near = text.split('\n').flatMap((line, index) => (line.trim() === first.trim() ? [index + 1] : []))
  const hint =
    near.length === 0
      ? 'read the file again'
      : `its first line is on line ${near.slice(0, 3).join(', ')}, but what follows or its indentation differs`
  return `the text is not in ${path}; ${hint}`
}
