import type { Stats } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Workspace } from '../agent.ts'

export type Located =
  | { readonly status: 'file' | 'folder' | 'absent'; readonly path: string; readonly absolute: string }
  | { readonly status: 'refused'; readonly reason: string }

/**
 * Resolves a path that a model wrote. It cannot leave the folder: no absolute path, no `..`, and no link in any step,
 * because code that ran here could have created a link to anywhere.
 */
export async function locate({ folder }: Pick<Workspace, 'folder'>, wanted: string): Promise<Located> {
  const path = wanted.replace(/^(\.\/)+/, '').replace(/\/+$/, '')
  const steps = path === '' || path === '.' ? [] : path.split('/')
  const reason = findFault(path, steps)
  if (reason !== undefined) return { status: 'refused', reason: `${JSON.stringify(wanted)} ${reason}` }
  let status: 'file' | 'folder' | 'absent' = 'folder'
  let absolute = folder
  for (const step of steps) {
    if (status === 'file') return { status: 'refused', reason: `${path} goes through a file` }
    absolute = join(absolute, step)
    const stats: Stats | undefined =
      status === 'absent' ? undefined : await lstat(absolute).catch(() => undefined)
    if (stats?.isSymbolicLink()) return { status: 'refused', reason: `${path} goes through a link` }
    if (stats !== undefined && !stats.isFile() && !stats.isDirectory())
      return { status: 'refused', reason: `${path} is neither a file nor a folder` }
    status = stats === undefined ? 'absent' : stats.isDirectory() ? 'folder' : 'file'
  }
  return { status, path: steps.join('/'), absolute }
}

/** Resolves the path of a file to create, change or remove, inside the editable scope. */
export async function locateEditable(workspace: Workspace, wanted: string): Promise<Located> {
  const located = await locate(workspace, wanted)
  if (located.status === 'refused') return located
  if (located.status === 'folder') return { status: 'refused', reason: `${wanted} is a folder` }
  if (workspace.canEdit(located.path)) return located
  return { status: 'refused', reason: `${located.path} is outside what you may change (see Scope)` }
}

function findFault(path: string, steps: readonly string[]): string | undefined {
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path))
    return 'is absolute: give it relative to the root of the folder'
  if (/[\0-\x1f\\]/.test(path)) return 'contains characters that no path here may have'
  if (steps.some((step) => step === '..' || step === '')) return 'leaves the folder'
  if (steps.some((step) => step.toLowerCase() === '.git')) return 'belongs to git'
  return undefined
}
