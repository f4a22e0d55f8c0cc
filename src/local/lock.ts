import { randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { LoreleyError } from '../errors.ts'
import { findStartTime } from '../process/process-identity.ts'

interface Holder {
  readonly pid: number
  readonly startTime: string
  readonly host: string
}

export interface Lock {
  release(): Promise<void>
}

const TRIES = 10

/**
 * Makes this process the only one that drives a campaign. The lock names a process by id and start time, so
 * one that was killed, or whose id another process got since, blocks nobody.
 */
export async function acquireLock(path: string, campaign: string): Promise<Lock> {
  const self: Holder = {
    pid: process.pid,
    startTime: (await findStartTime(process.pid)) ?? '',
    host: hostname(),
  }
  await mkdir(dirname(path), { recursive: true })
  for (let tried = 0; tried < TRIES; tried++) {
    if (await tryCreate(path, self)) return { release: () => rm(path, { force: true }) }
    const holder = await readHolder(path)
    if (holder !== undefined && (await isAlive(holder))) throw busy(campaign, holder, path)
    await removeStale(path, holder)
  }
  throw busy(campaign, await readHolder(path), path)
}

// A link to a finished file appears whole or not at all; creating and then writing would not.
async function tryCreate(path: string, self: Holder): Promise<boolean> {
  const draft = `${path}.${randomUUID()}`
  await writeFile(draft, JSON.stringify(self))
  try {
    await link(draft, path)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  } finally {
    await rm(draft, { force: true })
  }
}

// Two processes may find the same dead holder. Each moves the file away first and looks at what it moved:
// if that is somebody's new lock, it is put back.
async function removeStale(path: string, stale: Holder | undefined): Promise<void> {
  const moved = `${path}.${randomUUID()}`
  try {
    await rename(path, moved)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return
    throw error
  }
  const found = await readHolder(moved)
  if (found !== undefined && (found.pid !== stale?.pid || found.startTime !== stale.startTime))
    await tryCreate(path, found)
  await rm(moved, { force: true })
}

async function isAlive(holder: Holder): Promise<boolean> {
  // Another machine's processes cannot be seen from here (a shared disk): better to ask than to intrude.
  if (holder.host !== hostname()) return true
  return (await findStartTime(holder.pid)) === holder.startTime
}

async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    return parseHolder(JSON.parse(await readFile(path, 'utf8')))
  } catch {
    return undefined
  }
}

function parseHolder(value: unknown): Holder | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { pid, startTime, host } = value as Partial<Record<keyof Holder, unknown>>
  if (typeof pid !== 'number' || typeof startTime !== 'string' || typeof host !== 'string') return undefined
  return { pid, startTime, host }
}

function busy(campaign: string, holder: Holder | undefined, path: string): LoreleyError {
  const who = holder === undefined ? 'another process' : `process ${holder.pid} on ${holder.host}`
  return new LoreleyError(
    'campaign-busy',
    `The campaign ${campaign} is being run by ${who}.`,
    `Wait for it or stop it. If it is on another machine that no longer exists, delete ${path}.`,
  )
}
