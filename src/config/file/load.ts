import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { LoreleyError } from '../../errors.ts'
import type { ConfigFile } from '../campaign-config.ts'
import { parseConfig } from './parse.ts'
import { ConfigInvalidError } from './problem.ts'
import { MAX_BYTES, TOO_LARGE } from './yaml/read.ts'

export const CONFIG_FILE = '.loreley.yml'

/** Reads and parses the `.loreley.yml` of a folder. */
export async function loadConfig(folder: string): Promise<{ config: ConfigFile; text: string }> {
  const text = await loadConfigText(folder)
  return { config: parseConfig(text, CONFIG_FILE), text }
}

/** The text of a folder's `.loreley.yml`, for callers that want problems as values. */
export async function loadConfigText(folder: string): Promise<string> {
  const bytes = await readBytes(join(folder, CONFIG_FILE))
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalid({ message: 'the file is not UTF-8 text', hint: 'Save it as UTF-8.' })
  }
}

async function readBytes(path: string): Promise<Buffer> {
  let size: number
  try {
    size = (await stat(path)).size
    if (size <= MAX_BYTES) return await readFile(path)
  } catch (error) {
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    const message = isAbsent ? `there is no ${CONFIG_FILE} here` : `${CONFIG_FILE} cannot be read`
    const hint = isAbsent ? 'Run `loreley init` to write one.' : 'It must be a readable file.'
    throw new LoreleyError('config-missing', message, hint, error)
  }
  throw invalid(TOO_LARGE)
}

function invalid(problem: { readonly message: string; readonly hint: string }): ConfigInvalidError {
  return new ConfigInvalidError(CONFIG_FILE, [{ path: '', line: 1, column: 1, ...problem }])
}
