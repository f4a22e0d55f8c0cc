import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { LoreleyError } from '../../errors.ts'
import { CHANGED_SECONDS, type FileToWrite, writeFilesTo } from '../../git/checkout.ts'
import type { ObjectStore } from '../../git/objects/object-store.ts'
import { DiskAllowance } from '../../process/disk/disk-allowance.ts'
import { removeFolder } from '../../process/disk/remove-folder.ts'
import type { Isolation } from '../../process/isolation/isolation.ts'
import { OWNER_VARIABLE } from '../../process/kill.ts'
import { tryProgram } from '../../process/try-program.ts'
import { removePaths } from './withheld.ts'

/** The folder of one candidate: its files, and a home and a temporary folder for its processes. */
export interface Workspace {
  /** The folder that holds all the others. */
  readonly folder: string
  readonly files: string
  readonly home: string
  readonly temp: string
  /** How much disk its commands may use together. */
  readonly disk: DiskAllowance
  /** The pipeline's own index file, beside the files. */
  readonly indexFile: string
  remove(): Promise<void>
}

export interface WorkspaceOptions {
  readonly folder: string
  /** The folder to copy: the root's files and the products of the set-up. */
  readonly template: string
  /** Paths of the template to leave out. */
  readonly without?: readonly string[] | undefined
  /** How much its commands may write beyond the copy. */
  readonly maxDiskBytes: number
  /** Files that differ from the template's. */
  readonly changes: readonly FileToWrite[]
  readonly objects: ObjectStore
  readonly path: string
  readonly owner: string
  /** Its user owns the folder; without isolation the folder stays ours. */
  readonly isolation?: Isolation | undefined
}

/** Creates a workspace. It is never shared or reused, so nothing that one candidate leaves reaches another. */
export async function createWorkspace(options: WorkspaceOptions): Promise<Workspace> {
  const { folder, isolation, template, path, maxDiskBytes: maxBytes } = options
  const workspace = {
    folder,
    files: join(folder, 'files'),
    home: join(folder, 'home'),
    temp: join(folder, 'temp'),
    indexFile: join(folder, 'index'),
    remove: () => (isolation === undefined ? removeFolder(folder) : isolation.remove(folder)),
  }
  await workspace.remove()
  await Promise.all(
    [workspace.files, workspace.home, workspace.temp].map((each) => mkdir(each, { recursive: true })),
  )
  await copyFolder({ from: template, to: workspace.files, path, owner: options.owner })
  await removePaths(workspace.files, options.without ?? [])
  await writeFilesTo(workspace.files, options.changes, options.objects, CHANGED_SECONDS)
  await isolation?.give(folder)
  return { ...workspace, disk: await DiskAllowance.open({ folder, template, path, maxBytes, isolation }) }
}

interface FolderCopy {
  readonly from: string
  readonly to: string
  readonly path: string
  readonly owner: string
}

/** Copies a folder with its dates, modes and links; copy-on-write where the file system supports it. */
export async function copyFolder({ from, to, path, owner }: FolderCopy): Promise<void> {
  // Marked as ours: a copy that outlives this process would overwrite the next run's workspaces.
  const env = { PATH: path, [OWNER_VARIABLE]: owner }
  const failure = await tryProgram(['cp', '-RpP', `${from}/.`, to], env)
  if (failure === undefined) return
  throw new LoreleyError(
    'internal',
    `Copying ${from} failed: ${failure}`,
    'Check that the disk is not full, then run the command again. It resumes.',
  )
}
