import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'

const NUL = Buffer.alloc(1)

/** The fields of /proc/<pid>/stat that we use. */
export interface ProcessStat {
  readonly state: string
  readonly parentPid: number
  /** Clock ticks since boot. */
  readonly startTicks: string
}

/** Which processes carry a variable in the environment they were started with. */
export interface MarkedProcesses {
  readonly pids: readonly number[]
  /** False when one may have been missed: a process ended meanwhile or shows no environment (yet). */
  readonly complete: boolean
}

/** Reads a line of /proc/<pid>/stat. The command name is in parentheses and may itself hold `) R 1 (`. */
export function parseProcessStat(line: string): ProcessStat | undefined {
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
  const [state, parentPid] = fields
  const startTicks = fields[19]
  if (state === undefined || parentPid === undefined || startTicks === undefined) return undefined
  return { state, parentPid: Number(parentPid), startTicks }
}

/** A process in /proc; undefined when there is none, or no /proc. */
export function findProcessStat(pid: number): ProcessStat | undefined {
  const line = tryRead(`/proc/${pid}/stat`)
  return line === undefined ? undefined : parseProcessStat(line.toString('utf8'))
}

/** This process and its ancestors, which must never be signalled. */
export function findOwnLine(): Set<number> {
  const line = new Set([0, 1])
  let pid = process.pid
  while (!line.has(pid)) {
    line.add(pid)
    pid = findProcessStat(pid)?.parentPid ?? 0
  }
  return line
}

/**
 * Searches /proc for `assignment` (NAME=value). Synchronous on purpose: it takes a millisecond per hundred processes, and
 * one that constantly forks must not outrun it. No check of the user: the kernel lets us read only what we may signal, and
 * root must find what it ran as somebody else.
 */
export function findMarkedProcesses(assignment: string): MarkedProcesses {
  const needle = Buffer.from(`\0${assignment}\0`)
  const pids: number[] = []
  let complete = true
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    const environment = tryRead(`/proc/${entry}/environ`)
    // Kernel threads and zombies have no environment but stay visible; a process that vanished may have forked.
    if (environment === undefined) complete &&= existsSync(`/proc/${entry}`)
    else if (environment.length === 0) complete &&= !isBeginning(entry)
    else if (Buffer.concat([NUL, environment, NUL]).includes(needle)) pids.push(Number(entry))
  }
  return { pids, complete }
}

// During an exec a process shows no environment yet. On older kernels zombies and kernel threads show an empty one too,
// but they have no program.
function isBeginning(pid: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/exe`) !== ''
  } catch {
    return false
  }
}

/** The file's bytes; empty if it is not ours to read; undefined if there is nothing to read. */
function tryRead(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    // Others are ENOENT, ESRCH and EIO: a dying process goes through all three.
    return code === 'EACCES' || code === 'EPERM' ? Buffer.alloc(0) : undefined
  }
}
