// How long a process and all that it started have worked, in milliseconds. The kernel keeps account of it where there is
// Linux: what other programs do to the machine hardly shows there. Elsewhere the time on the wall has to do.
import { existsSync, readFileSync } from 'node:fs'

const HAS_ACCOUNT = existsSync('/proc/self/schedstat')

// Not a number once the process is gone.
export function readClock(pid) {
  if (!HAS_ACCOUNT) return performance.now()
  try {
    const own = Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').match(/\d+/g) ?? []
    return children.reduce((total, child) => total + readClock(child), own)
  } catch {
    return Number.NaN
  }
}
