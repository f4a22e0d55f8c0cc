import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { type GroupCommand, shellArgv } from '../../src/process/run-group.ts'

/** A shell line with settings that suit most tests. */
export function aCommand(line: string, changes: Partial<GroupCommand> = {}): GroupCommand {
  return {
    argv: shellArgv(line),
    cwd: tmpdir(),
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    timeoutMs: 30_000,
    maxOutputBytes: 100_000,
    ...changes,
  }
}

/** A folder that is made before each test and removed after it. */
export function useFolder(): { readonly path: () => string } {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'loreley-process-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))
  return { path: () => folder }
}

/** The pids that a command wrote, one file each. */
export function readPids(folder: string, ...names: readonly string[]): number[] {
  return names.map((name) => Number(readFileSync(join(folder, name), 'utf8')))
}

/** True when the process can still do something: a zombie cannot. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return !/^ [ZX]/.test(stat.slice(stat.lastIndexOf(')') + 1))
  } catch {
    // No /proc here, or gone between the two looks.
    return process.platform !== 'linux'
  }
}
