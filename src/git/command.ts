import { spawn } from 'node:child_process'
import { LoreleyError } from '../errors.ts'

/** Variables for git, without any of the caller's that could point it at another repository. */
export type GitEnvironment = Readonly<Record<string, string>>

export interface GitCall {
  readonly args: readonly string[]
  readonly environment: GitEnvironment
  readonly cwd?: string
  readonly stdin?: string | Uint8Array
}

export interface GitOutcome {
  readonly exitCode: number
  readonly stdout: Buffer
  readonly stderr: string
}

// Hooks and the file-system monitor are programs of the repository: we must never start them. Ref logs would grow with
// every tick and keep superseded state commits alive.
const SAFE_SETTINGS = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.logAllRefUpdates', 'false'],
  ['gc.auto', '0'],
].flatMap(([key, value]) => ['-c', `${key}=${value}`])

/** The arguments of every git process we start. */
export function safeArguments(args: readonly string[]): string[] {
  return [...SAFE_SETTINGS, ...args]
}

/** Keeps what git needs (PATH, HOME, proxy settings…), drops every GIT_ variable, adds ours. */
export function createGitEnvironment(
  inherited: Readonly<Record<string, string | undefined>>,
): GitEnvironment {
  const kept = Object.entries(inherited).flatMap(([name, value]) =>
    value === undefined || name.startsWith('GIT_') ? [] : [[name, value] as const],
  )
  return {
    ...Object.fromEntries(kept),
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_ATTR_NOSYSTEM: '1',
  }
}

/** Runs git; any exit code is a value. */
export async function tryGit(call: GitCall): Promise<GitOutcome> {
  return await new Promise((resolve, reject) => {
    const child = spawn('git', safeArguments(call.args), {
      env: call.environment,
      stdio: ['pipe', 'pipe', 'pipe'],
      // Outside the terminal's group: Ctrl-C is ours to handle, and an interrupted git looks like a fault.
      detached: true,
      ...(call.cwd === undefined ? {} : { cwd: call.cwd }),
    })
    const stdout: Buffer[] = []
    const stderr: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk))
    child.on('error', (error) => reject(gitMissing(error)))
    child.on('close', (code) =>
      resolve({
        exitCode: code ?? -1,
        stdout: Buffer.concat(stdout),
        stderr: Buffer.concat(stderr).toString('utf8'),
      }),
    )
    // A git that exits before reading its input breaks the pipe; the exit code says what happened.
    child.stdin.on('error', () => child.stdin.destroy())
    child.stdin.end(call.stdin ?? '')
  })
}

/** Runs git and returns its output; a non-zero exit code is a fault. */
export async function runGit(call: GitCall): Promise<Buffer> {
  const outcome = await tryGit(call)
  if (outcome.exitCode !== 0) throw gitFailed(call.args, outcome.stderr)
  return outcome.stdout
}

/** The error for a failed git command. */
export function gitFailed(args: readonly string[], stderr: string): LoreleyError {
  const said = stderr.trim().slice(0, 2000)
  return new LoreleyError(
    'git-failed',
    `git ${args.slice(0, 4).join(' ')} failed: ${said || 'no message'}`,
    'Read the message of git above, or run the same command by hand in the repository.',
  )
}

function gitMissing(cause: Error): LoreleyError {
  return new LoreleyError(
    'git-missing',
    'git could not be started.',
    'Install git 2.38 or later and make sure it is on the PATH.',
    cause,
  )
}
