import { chmod, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { LoreleyError } from '../../errors.ts'
import { CHANGED_SECONDS, type FileToWrite, writeFilesTo } from '../../git/checkout.ts'
import type { ObjectStore } from '../../git/objects/object-store.ts'
import { DiskAllowance } from '../../process/disk/disk-allowance.ts'
import { removeFolder } from '../../process/disk/remove-folder.ts'
import type { Isolation, SharedLayer } from '../../process/isolation/isolation.ts'
import { OWNER_VARIABLE } from '../../process/kill.ts'
import { tryProgram } from '../../process/try-program.ts'
import { canLayer, hideRemoved } from './layered-files.ts'
import { removePaths } from './withheld.ts'

/** The folder of one candidate: its files, and a home and a temporary folder for its processes. */
export interface Workspace {
  /** The folder that holds all the others. */
  readonly folder: string
  readonly files: string
  readonly home: string
  readonly temp: string
  /** Files that its commands see among its own without a copy. */
  readonly layer?: SharedLayer | undefined
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
  /** A folder that stands for the template and is not copied. Only commands in isolation see it. */
  readonly shared?: string | undefined
  /** With a shared folder: files to copy over it. */
  readonly over?: string | undefined
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
  const { folder, isolation, shared, changes, path, maxDiskBytes: maxBytes } = options
  const files = join(folder, 'files')
  const isLayered = shared !== undefined && canLayer(changes)
  const layer = isLayered ? { lower: shared, upper: files, work: `${folder}-work` } : undefined
  const workspace = {
    folder,
    files,
    home: join(folder, 'home'),
    temp: join(folder, 'temp'),
    indexFile: join(folder, 'index'),
    layer,
    remove: async () => {
      await (isolation === undefined ? removeFolder(folder) : isolation.remove(folder))
      if (layer !== undefined) await removeWork(layer.work, isolation)
    },
  }
  await workspace.remove()
  const folders = [files, workspace.home, workspace.temp, ...(layer === undefined ? [] : [layer.work])]
  await Promise.all(folders.map((each) => mkdir(each, { recursive: true })))
  const template = layer === undefined ? options.template : options.over
  if (template !== undefined) await copyFolder({ from: template, to: files, path, owner: options.owner })
  await removePaths(files, options.without ?? [])
  await writeFilesTo(files, changes, options.objects, CHANGED_SECONDS)
  if (layer !== undefined) await hideRemoved(layer, changes, path)
  await isolation?.give(folder)
  return { ...workspace, disk: await DiskAllowance.open({ folder, template, path, maxBytes, isolation }) }
}

// The kernel makes folders there that even their owner must open first.
async function removeWork(work: string, isolation: Isolation | undefined): Promise<void> {
  const mounts = await readdir(work).catch(() => [])
  for (const mount of mounts) await chmod(join(work, mount, 'work'), 0o700).catch(() => undefined)
  await (isolation === undefined || mounts.length === 0 ? removeFolder(work) : isolation.remove(work))
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
