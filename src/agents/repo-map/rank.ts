import { join, posix } from 'node:path'
import type { Workspace } from '../agent.ts'
import { findGrammar } from '../grammars.ts'
import { readTextFile } from '../tools/files.ts'

const MAX_FILE_BYTES = 256 * 1024
// Imports are at the top; reading whole files of a large repository would not be worth it.
const HEAD_CHARACTERS = 4000
const READERS = 32

/** Paths by importance: named in the focus, imported by many, near the root. */
export async function rankFiles(
  { folder, editablePaths }: Pick<Workspace, 'folder' | 'editablePaths'>,
  { focus, signal }: { readonly focus: string; readonly signal: AbortSignal },
): Promise<string[]> {
  const code = editablePaths.filter((path) => findGrammar(path) !== undefined)
  const uses = await countImports(folder, code, signal)
  const words = new Set(focus.toLowerCase().match(/[a-z][a-z0-9_]{2,}/g) ?? [])
  const weigh = (path: string): number => {
    const parts = path.toLowerCase().split(/[^a-z0-9_]+/)
    const named = parts.filter((part) => words.has(part)).length
    const asides = /(^|\/)(test|tests|spec|vendor|dist|fixtures|examples?)\//.test(path) ? 3 : 0
    return 4 * named + Math.log2(1 + (uses.get(nameOf(path)) ?? 0)) - asides - 0.3 * path.split('/').length
  }
  const weights = new Map(code.map((path) => [path, weigh(path)]))
  return code.toSorted((a, b) => (weights.get(b) ?? 0) - (weights.get(a) ?? 0) || (a < b ? -1 : 1))
}

/** How many files import each module name. Modules with the same name share a count. */
async function countImports(
  folder: string,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const uses = new Map<string, number>()
  const queue = paths.values()
  const work = async (): Promise<void> => {
    for (const path of queue) {
      signal.throwIfAborted()
      const text = (await readTextFile(join(folder, path), MAX_FILE_BYTES)) ?? ''
      for (const name of importedNames(text.slice(0, HEAD_CHARACTERS))) {
        uses.set(name, (uses.get(name) ?? 0) + 1)
      }
    }
  }
  await Promise.all(Array.from({ length: READERS }, work))
  return uses
}

function importedNames(head: string): Set<string> {
  const lines = head.match(/^.*\b(?:import|from|require|include|use|using)\b.*$/gm) ?? []
  const names = lines.flatMap((line) => line.match(/[\w./-]+/g) ?? [])
  return new Set(names.map((name) => nameOf(name.replaceAll('::', '/'))))
}

function nameOf(path: string): string {
  return posix.basename(path).replace(/\.[a-z0-9]+$/i, '')
}
