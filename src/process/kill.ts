import { setTimeout as delay } from 'node:timers/promises'
import { findMarkedProcesses, findOwnLine } from './process-table.ts'

/** Marks all processes of one owner. */
export const OWNER_VARIABLE = 'LORELEY_OWNER'

/** Marks the processes of one command. */
export const GROUP_VARIABLE = 'LORELEY_GROUP'

// Each pass kills what it finds. If a hundred in a row find more, something forks faster than we kill, which only
// isolation can stop.
const MAX_PASSES = 100
// On a busy machine an exec may take a tenth of a second, during which a process shows no environment.
const MAX_QUIET_PASSES = 20

/**
 * Kills every process started with this owner and returns how many there were. For the next start after we were killed
 * ourselves; the caller ensures that no other run of this owner is alive. Linux only: elsewhere no environment of another
 * process can be read, and the answer is 0.
 */
export async function killOwned(owner: string): Promise<number> {
  return killMarked(`${OWNER_VARIABLE}=${owner}`)
}

/** Signals a process group; does nothing when it has no members left. */
export function signalGroup(leaderPid: number, signal: NodeJS.Signals): void {
  // kill(-0) would reach our own group, kill(-1) everything we may signal.
  if (leaderPid > 1) trySignal(-leaderPid, signal)
}

/**
 * Kills what is left of a command: its group, and on Linux also processes that left the group by setsid or setpgid, found
 * by the variable that every descendant inherits. A process that leaves the group *and* wipes its environment is not
 * found: containing it is the job of isolation. Elsewhere we can only find the group.
 */
export async function killLeftovers(leaderPid: number, groupId: string): Promise<void> {
  signalGroup(leaderPid, 'SIGKILL')
  await killMarked(`${GROUP_VARIABLE}=${groupId}`)
}

async function killMarked(assignment: string): Promise<number> {
  if (process.platform !== 'linux') return 0
  const untouchable = findOwnLine()
  const killed = new Set<number>()
  let quietPasses = 0
  for (let pass = 0; pass < MAX_PASSES && quietPasses < MAX_QUIET_PASSES; pass++) {
    const { pids, complete } = findMarkedProcesses(assignment)
    const found = pids.filter((pid) => !untouchable.has(pid))
    if (found.length === 0 && complete) break
    quietPasses = found.length === 0 ? quietPasses + 1 : 0
    for (const pid of found) {
      trySignal(pid, 'SIGKILL')
      killed.add(pid)
    }
    // Killed processes stay visible until the kernel has removed them.
    await delay(Math.min(pass + 1, 20))
  }
  return killed.size
}

function trySignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    // ESRCH: already gone. EPERM: somebody else's, or on macOS a group of zombies.
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code !== 'ESRCH' && code !== 'EPERM') throw error
  }
}
