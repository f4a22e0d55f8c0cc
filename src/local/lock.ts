import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { LoreleyError } from '../errors.ts'
import { findStartTime } from '../process/process-identity.ts'

export interface Lock {
  release(): Promise<void>
}

/** A living process that wants or holds the lock. */
interface Contender {
  readonly id: string
  readonly pid: number
  readonly host: string
  readonly holds: boolean
}

const LOOKS = 200
const LOOK_MS = 10

/**
 * Makes this process the only one that drives a campaign. The lock is a folder with an empty file for each process that
 * wants it, named by process id and start time. No other process ever has that name, so anybody may remove the file of
 * a dead process at any time, and a killed process blocks nobody. Each process creates its own file before it looks for
 * others: of two, at least one sees the other.
 */
export async function acquireLock(path: string, campaign: string): Promise<Lock> {
  const self = (await findId(process.pid)) ?? ''
  const claim = join(path, `claim-${self}`)
  const mark = join(path, `held-${self}`)
  await mkdir(path, { recursive: true })
  const holder = (await findLiving(path)).find(({ id, holds }) => holds || id === self)
  if (holder !== undefined) throw busy(campaign, holder, path)
  await writeFile(claim, '')
  const rival = await findRival(path, self)
  if (rival !== undefined) {
    await rm(claim, { force: true })
    throw busy(campaign, rival, path)
  }
  await writeFile(mark, '')
  return {
    release: async () => {
      await rm(mark, { force: true })
      await rm(claim, { force: true })
    },
  }
}

// Of several that arrive at once, the first by name waits until the others have left. Undefined: we hold the lock.
async function findRival(path: string, self: string): Promise<Contender | undefined> {
  let others: Contender[] = []
  for (let looked = 0; looked < LOOKS; looked++) {
    others = (await findLiving(path)).filter(({ id }) => id !== self)
    if (others.length === 0) return undefined
    const stronger = others.find(({ id, holds }) => holds || id < self)
    if (stronger !== undefined) return stronger
    await sleep(LOOK_MS)
  }
  return others[0]
}

/** The living processes with a file in the folder. Removes the files of dead ones. */
async function findLiving(path: string): Promise<Contender[]> {
  const living: Contender[] = []
  for (const name of await readdir(path)) {
    const contender = parseName(name)
    if (contender === undefined) continue
    if (await isAlive(contender)) living.push(contender)
    else await rm(join(path, name), { force: true })
  }
  return living
}

async function isAlive({ id, pid, host }: Contender): Promise<boolean> {
  // On a shared disk another machine's processes cannot be seen from here: assume that they live.
  return host !== encodeURIComponent(hostname()) || id === (await findId(pid))
}

async function findId(pid: number): Promise<string | undefined> {
  const startTime = await findStartTime(pid)
  return startTime && [`${pid}`, startTime, hostname()].map(encodeURIComponent).join(',')
}

function parseName(name: string): Contender | undefined {
  const [, kind, id = '', pid, host = ''] = /^(claim|held)-((\d+),[^,]*,([^,]*))$/.exec(name) ?? []
  return kind === undefined ? undefined : { id, pid: Number(pid), host, holds: kind === 'held' }
}

function busy(campaign: string, { pid, host }: Contender, path: string): LoreleyError {
  return new LoreleyError(
    'campaign-busy',
    `The campaign ${campaign} is being run by process ${pid} on ${host}.`,
    `Wait for it or stop it. If it is on another machine that no longer exists, delete ${path}.`,
  )
}
