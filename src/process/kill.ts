import { setTimeout as delay } from 'node:timers/promises'
import { findMarkedProcesses, findOwnLine } from './process-table.ts'

/** The variable that tells whose processes these are: the same for all commands of one owner. */
export const OWNER_VARIABLE = 'LORELEY_OWNER'

/** The variable that tells one command's processes from all others. */
export const GROUP_VARIABLE = 'LORELEY_GROUP'

// Each round kills what it finds; a hundred in a row finding more means something forks faster than we kill,
// which only isolation can stop.
const MAX_ROUNDS = 100
// On a busy machine an exec takes some milliseconds, in which a process shows no environment.
const MAX_QUIET_ROUNDS = 8

/**
 * Kills every process started with this owner and tells how many there were. For the next start after we were
 * killed ourselves; the caller makes sure that no other run of this owner is alive. Linux only: elsewhere no process' environment can be read, and the answer is 0.
 */
export async function killOwned(owner: string): Promise<number> {
  return killMarked(`${OWNER_VARIABLE}=${owner}`)
}

/** Signals a whole process group; nothing happens when it has no members left. */
export function signalGroup(leaderPid: number, signal: NodeJS.Signals): void {
  // kill(-0) would reach our own group, kill(-1) everything we may signal.
  if (leaderPid > 1) trySignal(-leaderPid, signal)
}

/**
 * Kills what is left of a command: its group, and on Linux also what left the group by setsid or setpgid,
 * found by the variable every descendant inherits. One that leaves the group *and* wipes its environment is
 * not found; keeping such a process in is the work of isolation. Elsewhere the group is all that we can find.
 */
export async function killLeftovers(leaderPid: number, groupId: string): Promise<void> {
  signalGroup(leaderPid, 'SIGKILL')
  await killMarked(`${GROUP_VARIABLE}=${groupId}`)
}

async function killMarked(assignment: string): Promise<number> {
  if (process.platform !== 'linux') return 0
  const untouchable = findOwnLine()
  const killed = new Set<number>()
  let quietRounds = 0
  for (let round = 0; round < MAX_ROUNDS && quietRounds < MAX_QUIET_ROUNDS; round++) {
    const { pids, complete } = findMarkedProcesses(assignment)
    const found = pids.filter((pid) => !untouchable.has(pid))
    if (found.length === 0 && complete) break
    quietRounds = found.length === 0 ? quietRounds + 1 : 0
    for (const pid of found) {
      trySignal(pid, 'SIGKILL')
      killed.add(pid)
    }
    // The killed ones stay visible until the kernel has torn them down.
    await delay(Math.min(round + 1, 20))
  }
  return killed.size
}

function trySignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    // ESRCH: gone already. EPERM: somebody else's, or on macOS a group of zombies.
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code !== 'ESRCH' && code !== 'EPERM') throw error
  }
}
