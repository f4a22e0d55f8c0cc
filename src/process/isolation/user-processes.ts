import { readdirSync, readFileSync } from 'node:fs'
import { findProcessStat } from '../process-table.ts'

/**
 * Processes of a user that started after us in our own PID namespace, which excludes system services and containers.
 * Zombies count as gone.
 */
export function findUserProcesses(user: number): number[] {
  const ours = BigInt(findProcessStat(process.pid)?.startTicks ?? 0)
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map(Number).filter((pid) => {
    const stat = findProcessStat(pid)
    if (stat === undefined || stat.state === 'Z' || BigInt(stat.startTicks) < ours) return false
    const status = tryStatus(pid)
    return status.includes(`\nUid:\t${user}\t`) && /\nNSpid:\t\d+\n/.test(status)
  })
}

function tryStatus(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    // It ended meanwhile.
    return ''
  }
}
