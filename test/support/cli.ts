import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { aFolder } from './repository.ts'

const MAIN = fileURLToPath(new URL('../../dist/entrypoints/cli/main.js', import.meta.url))

/** How a command ended and what it said. */
export interface CliOutcome {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** A command that is running. It leads a process group of its own, as in a terminal. */
export interface RunningCli {
  readonly child: ChildProcess
  readonly pid: number
  readonly ended: Promise<CliOutcome>
  /** Settles when the command has said this on stdout. */
  said(text: string): Promise<void>
}

/** The built command with a home, a cache and a temporary folder of its own. */
export interface Cli {
  readonly cache: string
  readonly temp: string
  start(folder: string, ...args: string[]): RunningCli
  run(folder: string, ...args: string[]): Promise<CliOutcome>
}

/** A fresh machine, so to speak: nothing of the developer's environment is seen. */
export function aCli(extra: Readonly<Record<string, string>> = {}): Cli {
  const home = aFolder('loreley-home-')
  const cache = join(home, 'cache')
  const temp = join(home, 'temp')
  mkdirSync(temp)
  const env = { PATH: process.env.PATH ?? '', HOME: home, TMPDIR: temp, LORELEY_CACHE: cache, ...extra }
  const start: Cli['start'] = (folder, ...args) => {
    const child = spawn(process.execPath, [MAIN, ...args], {
      cwd: folder,
      env,
      detached: true,
      stdio: 'pipe',
    })
    child.stdin.end()
    return observe(child)
  }
  return { cache, temp, start, run: (folder, ...args) => start(folder, ...args).ended }
}

function observe(child: ReturnType<typeof spawn>): RunningCli {
  let stdout = ''
  let stderr = ''
  const listeners = new Set<() => void>()
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout += chunk.toString('utf8')
    for (const listener of listeners) listener()
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8')
  })
  const ended = new Promise<CliOutcome>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (exitCode, signal) => resolve({ exitCode, signal, stdout, stderr }))
  })
  const said = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (stdout.includes(text)) resolve()
      }
      listeners.add(look)
      look()
      ended.then(
        (outcome) => reject(new Error(`never said ${text}: ${outcome.stdout}${outcome.stderr}`)),
        reject,
      )
    })
  return { child, pid: child.pid ?? -1, ended, said }
}

/** The lines of a --json run. */
export function parseLines(stdout: string): Record<string, unknown>[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

/** Folders of candidates that were left behind in a cache. */
export function findWorkFolders(cache: string): string[] {
  const below = (folder: string): string[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
  return below(cache).flatMap((key) =>
    below(join(cache, key)).flatMap((campaign) => {
      const place = join(cache, key, campaign)
      return below(place).includes('work')
        ? readdirSync(join(place, 'work')).map((name) => join(place, 'work', name))
        : []
    }),
  )
}

/** Processes of evaluators whose workspaces are in this cache. */
export function findEvaluatorProcesses(cache: string): number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => readEnvironment(pid).includes(`LORELEY_OWNER=${cache}/`))
}

function readEnvironment(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8')
  } catch {
    // Gone meanwhile, or not ours: either way no process of this test.
    return ''
  }
}
