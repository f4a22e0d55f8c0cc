import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { CappedOutput } from './capped-output.ts'
import type { Isolation } from './isolation.ts'
import { GROUP_VARIABLE, killLeftovers, OWNER_VARIABLE, signalGroup } from './kill.ts'

/** A command that runs as a process group of its own. */
export interface GroupCommand {
  /** The program is looked up in the PATH of `env`. For a shell line see `shellArgv`. */
  readonly argv: readonly string[]
  readonly cwd: string
  /** All the command gets, apart from the two variables by which its processes are found again. */
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs: number
  /** For each of stdout and stderr; of more, the beginning and the end are kept. */
  readonly maxOutputBytes: number
  readonly stdin?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** How long the group has between SIGTERM and SIGKILL. */
  readonly killGraceMs?: number | undefined
  /** Lets `killOwned` find the processes after we were killed ourselves. */
  readonly owner?: string | undefined
  /** Hears everything as it is said, beyond what is kept. */
  readonly onOutput?: ((chunk: Buffer, stream: 'stdout' | 'stderr') => void) | undefined
  /** Leaves what the command put into the background alive when it ends by itself: `killOwned` ends that later. */
  readonly keepsBackground?: boolean | undefined
  /** Runs the command apart from us. */
  readonly enclosure?: Enclosure | undefined
}

/** An isolation, and what of the machine this one command needs. */
export interface Enclosure {
  readonly isolation: Isolation
  /** The folder that the command may write to; its `cwd` is in it. */
  readonly own: string
  readonly readOnly: readonly string[]
}

type GroupEnd =
  | { readonly status: 'exited'; readonly exitCode: number }
  | { readonly status: 'signalled'; readonly signal: NodeJS.Signals }
  | { readonly status: 'timed-out' }
  | { readonly status: 'aborted' }
  | { readonly status: 'not-started'; readonly reason: string }

/** How a command ended, and what it said. */
export type GroupOutcome = GroupEnd & {
  readonly stdout: string
  readonly stderr: string
  readonly truncated: boolean
  readonly durationMs: number
}

const DEFAULT_KILL_GRACE_MS = 2000
const MAX_TIMER_MS = 2 ** 31 - 1
// Reached only when a process that we could not find holds the pipes open. Those keep the event loop alive, so
// the timer need not.
const MAX_DRAIN_MS = 1000

/** The argv of a line for the shell. */
export function shellArgv(line: string): readonly string[] {
  return ['/bin/sh', '-c', line]
}

/**
 * Runs a command and leaves nothing of it behind: whatever is still alive when its first process has ended is
 * killed, after a success too, because a daemon would disturb the measurement of the next candidate.
 */
export async function runGroup(command: GroupCommand): Promise<GroupOutcome> {
  const startedMs = performance.now()
  const stdout = new CappedOutput(command.maxOutputBytes)
  const stderr = new CappedOutput(command.maxOutputBytes)
  const end = await runToEnd(command, stdout, stderr)
  return {
    ...end,
    stdout: stdout.text(),
    stderr: stderr.text(),
    truncated: stdout.truncated || stderr.truncated,
    durationMs: performance.now() - startedMs,
  }
}

async function runToEnd(
  command: GroupCommand,
  stdout: CappedOutput,
  stderr: CappedOutput,
): Promise<GroupEnd> {
  if (command.signal?.aborted) return { status: 'aborted' }
  const groupId = randomUUID()
  const started = await start(command, groupId)
  if (started.status === 'not-started') return started
  const { child, pid } = started
  const closed = once(child, 'close')
  listen(child, { stdout, stderr }, command)
  feed(child, command.stdin)
  const end = await waitForLeader(child, pid, command)
  const keeps = command.keepsBackground === true && end.status === 'exited'
  if (!keeps) {
    await command.enclosure?.isolation.signalGroup(pid, 'SIGKILL')
    await killLeftovers(pid, groupId)
  }
  await Promise.race([closed, delay(MAX_DRAIN_MS, undefined, { ref: false })])
  if (keeps) unheard(child)
  else destroyPipes(child)
  return end
}

function listen(
  child: ChildProcess,
  outputs: Readonly<Record<'stdout' | 'stderr', CappedOutput>>,
  command: GroupCommand,
): void {
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.on('data', (chunk: Buffer) => {
      outputs[stream].add(chunk)
      command.onOutput?.(chunk, stream)
    })
  }
}

function destroyPipes(child: ChildProcess): void {
  child.stdout?.destroy()
  child.stderr?.destroy()
}

// What stays in the background must not die of a closed pipe, nor may its words count for what comes next.
function unheard(child: ChildProcess): void {
  for (const pipe of [child.stdout, child.stderr]) pipe?.removeAllListeners('data').resume()
}

type Start =
  | { readonly status: 'started'; readonly child: ChildProcess; readonly pid: number }
  | { readonly status: 'not-started'; readonly reason: string }

async function start(command: GroupCommand, groupId: string): Promise<Start> {
  const marked = { ...command, env: createMarkedEnvironment(command, groupId) }
  const { enclosure } = command
  const { argv, cwd, env } = enclosure ? enclosure.isolation.enclose({ ...marked, ...enclosure }) : marked
  const [program = '', ...args] = argv
  try {
    const child = spawn(program, args, {
      cwd,
      env,
      detached: true,
      stdio: [command.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    })
    await once(child, 'spawn')
    if (child.pid === undefined) return { status: 'not-started', reason: `${program} got no process id` }
    return { status: 'started', child, pid: child.pid }
  } catch (error) {
    return { status: 'not-started', reason: explainStart(error, command) }
  }
}

function createMarkedEnvironment(command: GroupCommand, groupId: string): NodeJS.ProcessEnv {
  return {
    // Node adds its own value of this one unless the key is there, even with no value.
    NODE_V8_COVERAGE: undefined,
    ...command.env,
    [GROUP_VARIABLE]: groupId,
    ...(command.owner === undefined ? {} : { [OWNER_VARIABLE]: command.owner }),
  }
}

function explainStart(error: unknown, command: GroupCommand): string {
  // The system says "no such file" for the program when it is the folder that is missing.
  if (!existsSync(command.cwd)) return `the folder ${command.cwd} does not exist`
  return error instanceof Error ? error.message : String(error)
}

function feed(child: ChildProcess, input: string | undefined): void {
  if (child.stdin === null || input === undefined) return
  child.stdin.on('error', () => {
    // A command may end without reading its input; how it ended is what counts.
  })
  child.stdin.end(input)
}

async function waitForLeader(child: ChildProcess, pid: number, command: GroupCommand): Promise<GroupEnd> {
  let stopped: GroupEnd | undefined
  let killTimer: NodeJS.Timeout | undefined
  const signal = (name: NodeJS.Signals): void => {
    if (command.enclosure === undefined) signalGroup(pid, name)
    else void command.enclosure.isolation.signalGroup(pid, name)
  }
  const stop = (status: 'timed-out' | 'aborted') => {
    if (stopped !== undefined) return
    stopped = { status }
    signal('SIGTERM')
    killTimer = setTimeout(() => signal('SIGKILL'), command.killGraceMs ?? DEFAULT_KILL_GRACE_MS)
  }
  const onAbort = () => stop('aborted')
  const timer = setTimeout(() => stop('timed-out'), Math.min(command.timeoutMs, MAX_TIMER_MS))
  command.signal?.addEventListener('abort', onAbort)
  if (command.signal?.aborted) onAbort()
  const end = await new Promise<GroupEnd>((resolve) => {
    child.once('exit', (exitCode, name) => {
      resolve(
        name === null
          ? { status: 'exited', exitCode: exitCode ?? -1 }
          : { status: 'signalled', signal: name },
      )
    })
  })
  clearTimeout(timer)
  clearTimeout(killTimer)
  command.signal?.removeEventListener('abort', onAbort)
  return stopped ?? end
}
