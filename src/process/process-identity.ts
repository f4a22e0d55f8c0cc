import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { findProcessStat } from './process-table.ts'

/**
 * When a process started, as an opaque text: with the pid it identifies one process for ever, across reboots and reused
 * pids. Undefined when there is no such process; a zombie counts as none.
 */
export async function findStartTime(
  pid: number,
  platform: NodeJS.Platform = process.platform,
): Promise<string | undefined> {
  if (!Number.isSafeInteger(pid) || pid < 1) return undefined
  return platform === 'linux' ? findOnLinux(pid) : findWithPs(pid)
}

async function findOnLinux(pid: number): Promise<string | undefined> {
  const stat = findProcessStat(pid)
  if (stat === undefined || isDead(stat.state)) return undefined
  // Ticks count from boot, so the same pair may recur after a reboot.
  const bootId = await readFile('/proc/sys/kernel/random/boot_id', 'utf8')
  return `${bootId.trim()}/${stat.startTicks}`
}

// `ps` fails when there is no such process, which is an answer. Locale and time zone are fixed so that the same process
// always gets the same text.
function findWithPs(pid: number): Promise<string | undefined> {
  const env = { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' }
  return new Promise((resolve) => {
    execFile('ps', ['-o', 'stat=', '-o', 'lstart=', '-p', String(pid)], { env }, (error, stdout) => {
      const [state = '', ...date] = stdout.trim().split(/\s+/)
      resolve(error === null && date.length > 0 && !isDead(state) ? date.join(' ') : undefined)
    })
  })
}

function isDead(state: string): boolean {
  return /^[ZXx]/.test(state)
}
