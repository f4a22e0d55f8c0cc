import { execFile } from 'node:child_process'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { LoreleyError } from '../errors.ts'
import { type FileToWrite, writeFilesTo } from '../git/checkout.ts'
import type { ObjectStore } from '../git/objects.ts'

const run = promisify(execFile)

/** A folder of one candidate's own: its files, and a home and a temporary folder for its processes. */
export interface WorkFolder {
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
  /** Files that differ from the template's. */
  readonly changes: readonly FileToWrite[]
  readonly objects: ObjectStore
  readonly path: string
}

/** Makes a work folder. Never shared, never reused: what one candidate leaves behind reaches no other. */
export async function createWorkFolder(order: WorkFolderOrder): Promise<WorkFolder> {
  const { place } = order
  const folder: WorkFolder = {
    files: join(place, 'files'),
    home: join(place, 'home'),
    temp: join(place, 'temp'),
    indexFile: join(place, 'index'),
    remove: () => rm(place, { recursive: true, force: true, maxRetries: 5 }),
  }
  await rm(place, { recursive: true, force: true, maxRetries: 5 })
  await Promise.all([folder.files, folder.home, folder.temp].map((each) => mkdir(each, { recursive: true })))
  await copyFolder(order.template, folder.files, order.path)
  await writeFilesTo(folder.files, order.changes, order.objects)
  return folder
}

/** Copies a folder with dates, modes and links as they are; copy-on-write where the file system can. */
export async function copyFolder(from: string, to: string, path: string): Promise<void> {
  try {
    await run('cp', ['-RpP', `${from}/.`, to], { env: { PATH: path } })
  } catch (error) {
    throw new LoreleyError(
      'internal',
      `Copying ${from} failed: ${error instanceof Error ? error.message : String(error)}`,
      'Check that the disk is not full, then run the command again: it carries on.',
      error,
    )
  }
}
