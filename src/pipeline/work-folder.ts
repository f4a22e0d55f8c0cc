import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { LoreleyError } from '../errors.ts'
import { CHANGED_SECONDS, type FileToWrite, writeFilesTo } from '../git/checkout.ts'
import type { ObjectStore } from '../git/objects.ts'
import type { Isolation } from '../process/isolation.ts'
import { OWNER_VARIABLE } from '../process/kill.ts'
import { removePlaces } from './withheld.ts'

/** A folder of one candidate's own: its files, and a home and a temporary folder for its processes. */
export interface WorkFolder {
  /** The folder that holds all the others. */
  readonly place: string
  readonly files: string
  readonly home: string
  readonly temp: string
  /** Where the pipeline keeps what no candidate sees, beside the files. */
  readonly indexFile: string
  remove(): Promise<void>
}

export interface WorkFolderOrder {
  readonly place: string
  /** What is copied: the root's files and the products of the set-up. */
  readonly template: string
  /** What the folder does not get of it. */
  readonly without?: readonly string[] | undefined
  /** Files that differ from the template's. */
  readonly changes: readonly FileToWrite[]
  readonly objects: ObjectStore
  readonly path: string
  readonly owner: string
  /** Whose user gets the folder; without one it stays ours. */
  readonly isolation?: Isolation | undefined
}

/** Makes a work folder. Never shared, never reused: what one candidate leaves behind reaches no other. */
export async function createWorkFolder(order: WorkFolderOrder): Promise<WorkFolder> {
  const { place, isolation } = order
  const remove = (): Promise<void> => rm(place, { recursive: true, force: true, maxRetries: 5 })
  const folder: WorkFolder = {
    place,
    files: join(place, 'files'),
    home: join(place, 'home'),
    temp: join(place, 'temp'),
    indexFile: join(place, 'index'),
    remove: isolation === undefined ? remove : () => isolation.remove(place),
  }
  await folder.remove()
  await Promise.all([folder.files, folder.home, folder.temp].map((each) => mkdir(each, { recursive: true })))
  await copyFolder({ from: order.template, to: folder.files, path: order.path, owner: order.owner })
  await removePlaces(folder.files, order.without ?? [])
  await writeFilesTo(folder.files, order.changes, order.objects, CHANGED_SECONDS)
  await isolation?.give(place)
  return folder
}

interface FolderCopy {
  readonly from: string
  readonly to: string
  readonly path: string
  readonly owner: string
}

/** Copies a folder with dates, modes and links as they are; copy-on-write where the file system can. */
export async function copyFolder({ from, to, path, owner }: FolderCopy): Promise<void> {
  // Marked as ours: a copy that outlives us would write the root's files over the next run's work folders.
  // In a group of its own: Ctrl-C is for us to handle.
  const child = spawn('cp', ['-RpP', `${from}/.`, to], {
    env: { PATH: path, [OWNER_VARIABLE]: owner },
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString('utf8')).slice(-2000)
  })
  try {
    const [exitCode] = await once(child, 'close')
    if (exitCode === 0) return
  } catch (error) {
    said = error instanceof Error ? error.message : String(error)
  }
  throw new LoreleyError(
    'internal',
    `Copying ${from} failed: ${said.trim()}`,
    'Check that the disk is not full, then run the command again: it carries on.',
  )
}
