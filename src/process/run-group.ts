import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { CappedOutput } from './capped-output.ts'
import type { DiskAllowance, DiskEnd } from './disk/disk-allowance.ts'
import type { Isolation, SharedLayer, StartedCommand } from './isolation/isolation.ts'
import { Doorkeeper } from './isolation/threshold.ts'
import { GROUP_VARIABLE, killLeftovers, OWNER_VARIABLE, signalGroup } from './kill.ts'

/** A command that runs in its own process group. */
export interface GroupCommand {
  /** The program is looked up in the PATH of `env`. For a shell line see `shellArgv`. */
  readonly argv: readonly string[]
  readonly cwd: string
  /** The whole environment, apart from the two variables that mark its processes. */
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs: number
  /** For stdout and stderr each; beyond that, the start and the end are kept. */
  readonly maxOutputBytes: number
  /** An enclosed command gets none. */
  readonly stdin?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** The time between SIGTERM and SIGKILL. */
  readonly killGraceMs?: number | undefined
  /** Lets `killOwned` find the processes after we were killed ourselves. */
  readonly owner?: string | undefined
  /** Receives all output as it arrives. */
  readonly onOutput?: ((chunk: Buffer, stream: 'stdout' | 'stderr') => void) | undefined
  /** Keeps background processes alive when the command exits; `killOwned` ends them later. */
  readonly keepsBackground?: boolean | undefined
  /** How much disk it may use, together with other commands in the same folder. */
  readonly disk?: DiskAllowance | undefined
  /** Runs the command in isolation. */
  readonly enclosure?: Enclosure | undefined
}

/** An isolation, and the folders that one command needs. */
export interface Enclosure {
  readonly isolation: Isolation
  /** The folder that the command may write to; contains `cwd`. */
  readonly own: string
  readonly readOnly: readonly string[]
  readonly layer?: SharedLayer | undefined
}

type GroupEnd =
  | { readonly status: 'exited'; readonly exitCode: number }
  | { readonly status: 'signalled'; readonly signal: NodeJS.Signals }
  | { readonly status: 'timed-out' }
  | { readonly status: 'aborted' }
  | DiskEnd
  /** Also when the isolation could not be set up: the command never ran. */
  | { readonly status: 'not-started'; readonly reason: string }

/** How a command ended, and its output. */
export type GroupOutcome = GroupEnd & {
  readonly stdout: string
  readonly stderr: string
  /** The middle of stdout is missing. */
  readonly isStdoutCut: boolean
  readonly durationMs: number
}

const DEFAULT_KILL_GRACE_MS = 2000
const MAX_TIMER_MS = 2 ** 31 - 1
// Reached only when a process that we could not find holds the pipes open. The pipes keep the event loop alive, so the
// timer need not.
const MAX_DRAIN_MS = 1000

/** The argv of a shell line. */
export function shellArgv(line: string): readonly string[] {
  return ['/bin/sh', '-c', line]
}

/**
 * Runs a command and leaves nothing behind: whatever is still alive when its first process ends is killed, even after a
 * success, because a daemon would disturb the next measurement.
 */
export async function runGroup(command: GroupCommand): Promise<GroupOutcome> {
  const startedMs = performance.now()
  const stdout = new CappedOutput(command.maxOutputBytes)
  const stderr = new CappedOutput(command.maxOutputBytes)
  const door = command.enclosure && new Doorkeeper()
  const end = await runToEnd(command, { stdout, stderr, door })
  const said = { stdout: stdout.text(), stderr: stderr.text() }
  return {
    ...(door?.isInside === false ? neverInside(end, said.stderr) : end),
    ...said,
    isStdoutCut: stdout.truncated,
    durationMs: performance.now() - startedMs,
  }
}

function neverInside(end: GroupEnd, stderr: string): GroupEnd {
  if (end.status === 'aborted' || end.status === 'not-started') return end
  return { status: 'not-started', reason: stderr.trim().split('\n').at(-1) || end.status }
}

interface Listeners {
  readonly stdout: CappedOutput
  readonly stderr: CappedOutput
  readonly door: Doorkeeper | undefined
}

async function runToEnd(command: GroupCommand, listeners: Listeners): Promise<GroupEnd> {
  if (command.signal?.aborted) return { status: 'aborted' }
  const groupId = randomUUID()
  const started = await start(command, groupId)
  if (started.status === 'not-started') return started
  const { child, pid } = started
  const closed = once(child, 'close')
  const drained = () => Promise.race([closed, delay(MAX_DRAIN_MS, undefined, { ref: false })])
  listen(child, listeners, command)
  const { end, isDiskSpent } = await waitForLeader(child, pid, command)
  const keeps = command.keepsBackground === true && end.status === 'exited'
  // The leader of namespaces ends by itself only after everything in them.
  const isOver = end.status === 'exited' && command.enclosure?.isolation.level === 'namespace'
  if (!keeps && !isOver) {
    await command.enclosure?.isolation.signalGroup(pid, 'SIGKILL')
    // What ends the orphans of an enclosed command bears its mark too, and holds its output until it is done.
    if (command.enclosure !== undefined) await drained()
    await killLeftovers(pid, groupId)
  }
  await drained()
  if (keeps) drain(child)
  else destroyPipes(child)
  if (!isDiskSpent || end.status === 'aborted') return end
  return (await command.disk?.explain()) ?? end
}

function listen(child: ChildProcess, listeners: Listeners, command: GroupCommand): void {
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.on('data', (said: Buffer) => {
      const chunk = stream === 'stdout' && listeners.door ? listeners.door.pass(said) : said
      listeners[stream].add(chunk)
      command.onOutput?.(chunk, stream)
    })
  }
}

function destroyPipes(child: ChildProcess): void {
  child.stdin?.destroy()
  child.stdout?.destroy()
  child.stderr?.destroy()
}

// Background processes must not die of a closed pipe, and their output must not count for later commands.
function drain(child: ChildProcess): void {
  for (const pipe of [child.stdout, child.stderr]) pipe?.removeAllListeners('data').resume()
}

type Start =
  | { readonly status: 'started'; readonly child: ChildProcess; readonly pid: number }
  | { readonly status: 'not-started'; readonly reason: string }

async function start(command: GroupCommand, groupId: string): Promise<Start> {
  const marked = { ...command, env: createMarkedEnvironment(command, groupId) }
  const { enclosure } = command
  const started: StartedCommand = enclosure
    ? enclosure.isolation.enclose({ ...marked, ...enclosure })
    : marked
  const { argv, cwd, env, stdin } = started
  const [program = '', ...args] = argv
  // The wrapper is marked like the command: when it dies, everything inside dies.
  const outerEnv = createMarkedEnvironment({ ...command, env }, groupId)
  try {
    const child = spawn(program, args, {
      cwd,
      env: outerEnv,
      detached: true,
      stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    })
    await once(child, 'spawn')
    feed(child, started)
    if (child.pid === undefined) return { status: 'not-started', reason: `${program} got no process id` }
    return { status: 'started', child, pid: child.pid }
  } catch (error) {
    return { status: 'not-started', reason: explainStart(error, command) }
  }
}

function createMarkedEnvironment(
  command: Pick<GroupCommand, 'owner'> & { readonly env: NodeJS.ProcessEnv },
  groupId: string,
): NodeJS.ProcessEnv {
  return {
    // Node adds its own value unless the key is present.
    NODE_V8_COVERAGE: undefined,
    ...command.env,
    [GROUP_VARIABLE]: groupId,
    ...(command.owner === undefined ? {} : { [OWNER_VARIABLE]: command.owner }),
  }
}

function explainStart(error: unknown, command: GroupCommand): string {
  // The system blames the program when the folder is missing.
  if (!existsSync(command.cwd)) return `the folder ${command.cwd} does not exist`
  return error instanceof Error ? error.message : String(error)
}

function feed(child: ChildProcess, { stdin, holdsStdin }: StartedCommand): void {
  if (child.stdin === null || stdin === undefined) return
  child.stdin.on('error', () => {
    // A command may exit without reading its input: only its exit counts.
  })
  if (holdsStdin === true) child.stdin.write(stdin)
  else child.stdin.end(stdin)
}

interface LeaderEnd {
  readonly end: GroupEnd
  /** Killed because its disk allowance is used up; explained once nothing of it is alive. */
  readonly isDiskSpent: boolean
}

async function waitForLeader(child: ChildProcess, pid: number, command: GroupCommand): Promise<LeaderEnd> {
  let stopped: GroupEnd | undefined
  let isDiskSpent = false
  let killTimer: NodeJS.Timeout | undefined
  const ended = new AbortController()
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
  void command.disk?.isSpent(ended.signal).then((isSpent) => {
    isDiskSpent = isSpent && !ended.signal.aborted
    // At once: during a grace period it could fill the disk.
    if (isDiskSpent) signal('SIGKILL')
  })
  const end = await new Promise<GroupEnd>((resolve) => {
    child.once('exit', (exitCode, name) => {
      resolve(
        name === null
          ? { status: 'exited', exitCode: exitCode ?? -1 }
          : { status: 'signalled', signal: name },
      )
    })
  })
  ended.abort()
  clearTimeout(timer)
  clearTimeout(killTimer)
  command.signal?.removeEventListener('abort', onAbort)
  return { end: stopped ?? end, isDiskSpent }
}
