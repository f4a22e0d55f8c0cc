import type { Workspace } from '../agent.ts'
import { type EditableFile, listFiles, readText, writeText } from './files.ts'
import { readSource } from './source/read-source.ts'
import type { Source } from './source/source.ts'

/** The texts of one candidate while it is being made. Nothing is written before `save`. */
export interface Draft {
  readonly files: readonly EditableFile[]
  /** The file as it is now; undefined when it is not text. */
  read(path: string): Promise<Source | undefined>
  /** Takes the new text unless it introduces a syntax error. Returns whether it was taken. */
  offer(path: string, text: string): Promise<boolean>
  /** Writes the files that differ from the parent's and returns their paths. */
  save(): Promise<string[]>
}

/** Opens the editable files of a workspace. */
export async function openDraft(workspace: Workspace): Promise<Draft> {
  const files = await listFiles(workspace)
  const originals = new Map<string, string>()
  const current = new Map<string, Source | undefined>()

  async function read(path: string): Promise<Source | undefined> {
    if (current.has(path)) return current.get(path)
    const text = await readText(workspace, path)
    const source = text === undefined ? undefined : await readSource(path, text)
    if (text !== undefined) originals.set(path, text)
    current.set(path, source)
    return source
  }

  async function offer(path: string, text: string): Promise<boolean> {
    const before = await read(path)
    if (before === undefined || before.text === text) return false
    const after = await readSource(path, text)
    if (after.broken && !before.broken) return false
    current.set(path, after)
    return true
  }

  async function save(): Promise<string[]> {
    const changed: string[] = []
    for (const [path, source] of current) {
      if (source === undefined || source.text === originals.get(path)) continue
      await writeText(workspace, path, source.text)
      changed.push(path)
    }
    return changed.sort()
  }

  return { files, read, offer, save }
}
