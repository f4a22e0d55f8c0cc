// How long a process has worked, in milliseconds. The kernel keeps account of it where there is Linux: what other
// programs do to the machine hardly shows there. Elsewhere the time on the wall has to do.
import { existsSync, readFileSync } from 'node:fs'

const HAS_ACCOUNT = existsSync('/proc/self/schedstat')

// Not a number once the process is gone.
export function readClock(pid) {
  if (!HAS_ACCOUNT) return performance.now()
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6
  } catch {
    return Number.NaN
  }
}
