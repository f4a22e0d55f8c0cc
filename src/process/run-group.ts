import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { CappedOutput } from './capped-output.ts'
import type { DiskAllowance, DiskEnd } from './disk/disk-allowance.ts'
import type { Isolation } from './isolation/isolation.ts'
import { Doorkeeper } from './isolation/threshold.ts'
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
  /** An enclosed command gets none. */
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
  /** What it may take of the disk, together with other commands in the same folder. */
  readonly disk?: DiskAllowance | undefined
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
  | DiskEnd
  /** Also when the enclosure could not be made: nothing of the command has run. */
  | { readonly status: 'not-started'; readonly reason: string }

/** How a command ended, and what it said. */
export type GroupOutcome = GroupEnd & {
  readonly stdout: string
  readonly stderr: string
  /** Something is missing in the middle of stdout. */
  readonly isStdoutCut: boolean
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

interface Ears {
  readonly stdout: CappedOutput
  readonly stderr: CappedOutput
  readonly door: Doorkeeper | undefined
}

async function runToEnd(command: GroupCommand, ears: Ears): Promise<GroupEnd> {
  if (command.signal?.aborted) return { status: 'aborted' }
  const groupId = randomUUID()
  const started = await start(command, groupId)
  if (started.status === 'not-started') return started
  const { child, pid } = started
  const closed = once(child, 'close')
  listen(child, ears, command)
  const { end, isDiskSpent } = await waitForLeader(child, pid, command)
  const keeps = command.keepsBackground === true && end.status === 'exited'
  if (!keeps) {
    await command.enclosure?.isolation.signalGroup(pid, 'SIGKILL')
    await killLeftovers(pid, groupId)
  }
  await Promise.race([closed, delay(MAX_DRAIN_MS, undefined, { ref: false })])
  if (keeps) unheard(child)
  else destroyPipes(child)
  if (!isDiskSpent || end.status === 'aborted') return end
  return (await command.disk?.explain()) ?? end
}

function listen(child: ChildProcess, ears: Ears, command: GroupCommand): void {
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.on('data', (said: Buffer) => {
      const chunk = stream === 'stdout' && ears.door ? ears.door.pass(said) : said
      ears[stream].add(chunk)
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
  const { argv, cwd, env, stdin } = enclosure
    ? enclosure.isolation.enclose({ ...marked, ...enclosure })
    : marked
  const [program = '', ...args] = argv
  // What encloses a command is marked like the command: its end is the end of all that is inside.
  const outerEnv = createMarkedEnvironment({ ...command, env }, groupId)
  try {
    const child = spawn(program, args, {
      cwd,
      env: outerEnv,
      detached: true,
      stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    })
    await once(child, 'spawn')
    feed(child, stdin)
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

interface LeaderEnd {
  readonly end: GroupEnd
  /** Ended because its disk allowance is spent: why is told when nothing of it is left alive. */
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
    // At once: in the time to say goodbye it could fill what is left.
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
