import { execFile } from 'node:child_process'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { asCandidate, CANDIDATE_USER, type EnclosureView, inNamespaces } from './enclosure.ts'
import { signalGroup } from './kill.ts'
import { type GroupCommand, runGroup } from './run-group.ts'

/** How candidate code is kept apart: another user in its own namespaces, or another user. */
export type IsolatedLevel = 'namespace' | 'user'

/** A way to run commands apart from us, that was tried and works here. */
export interface Isolation {
  readonly level: IsolatedLevel
  readonly network: 'none' | 'host'
  /** The command as it has to be started. */
  enclose(command: EnclosedCommand): Pick<GroupCommand, 'argv' | 'cwd' | 'env'>
  /** Signals the processes of a command, which are not ours to signal. */
  signalGroup(leaderPid: number, signal: NodeJS.Signals): Promise<void>
  /** Makes the candidate's user the owner of a folder and all in it. */
  give(folder: string): Promise<void>
  /** Removes a folder that was given away. */
  remove(folder: string): Promise<void>
}

export interface EnclosedCommand {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly own: string
  readonly readOnly: readonly string[]
}

export interface IsolationOrder {
  /** What is tried, in this order. */
  readonly levels: readonly IsolatedLevel[]
  readonly network: 'none' | 'host'
  readonly hidden: readonly string[]
  /** Seen inside although hidden: where the programs are. */
  readonly readOnly: readonly string[]
  /** Whether `sudo` may be asked, without a password. Root needs none. */
  readonly sudo: boolean
  /** A folder for the trial. */
  readonly place: string
  readonly path: string
}

export type IsolationSearch =
  | { readonly status: 'found'; readonly isolation: Isolation }
  | { readonly status: 'unavailable'; readonly detail: string }

const TRIAL_MS = 20_000
const run = promisify(execFile)

/** The first level that works on this machine: each is tried, because no list of features tells for sure. */
export async function findIsolation(order: IsolationOrder): Promise<IsolationSearch> {
  const rank = findRank(order.sudo)
  if (rank === undefined) return { status: 'unavailable', detail: 'it takes Linux, and root or sudo' }
  const failures: string[] = []
  for (const level of order.levels) {
    const isolation = createIsolation(order, level, rank)
    const failure = await tryOut(order, isolation)
    if (failure === undefined) return { status: 'found', isolation }
    failures.push(`${level}: ${failure}`)
  }
  return { status: 'unavailable', detail: failures.join('; ') }
}

/** What a privileged command starts with: nothing for root. */
function findRank(sudo: boolean): readonly string[] | undefined {
  if (process.platform !== 'linux') return undefined
  if (process.getuid?.() === 0) return []
  return sudo ? ['sudo', '-n', '--'] : undefined
}

function createIsolation(order: IsolationOrder, level: IsolatedLevel, rank: readonly string[]): Isolation {
  const ours = { PATH: order.path }
  const privileged = async (...argv: string[]): Promise<void> => {
    const [program = '', ...args] = [...rank, ...argv]
    await run(program, args, { env: ours })
  }
  return {
    level,
    // Without namespaces the network is the machine's, whatever was asked for.
    network: level === 'namespace' ? order.network : 'host',
    enclose: ({ argv, cwd, env, own, readOnly }) => {
      const view: EnclosureView = { ...order, own, readOnly: [...readOnly, ...order.readOnly] }
      const around = level === 'namespace' ? inNamespaces(view, cwd) : []
      return { argv: [...rank, ...around, ...asCandidate(env), ...argv], cwd, env: ours }
    },
    signalGroup: async (leaderPid, signal) => {
      if (rank.length === 0) return signalGroup(leaderPid, signal)
      if (leaderPid <= 1) return
      // It may be gone already: what counts is that nothing is left.
      await privileged('kill', '-s', signal.slice(3), '--', `-${leaderPid}`).catch(() => undefined)
      if (level === 'user' && signal === 'SIGKILL') await killCandidateUser(privileged)
    },
    give: (folder) => privileged('chown', '-R', '-h', `${CANDIDATE_USER}:${CANDIDATE_USER}`, '--', folder),
    remove: (folder) => privileged('rm', '-rf', '--', folder),
  }
}

// A process that left its group is found by its user: on a runner nobody else is `nobody`.
async function killCandidateUser(privileged: (...argv: string[]) => Promise<void>): Promise<void> {
  const asUser = ['setpriv', `--reuid=${CANDIDATE_USER}`, `--regid=${CANDIDATE_USER}`, '--clear-groups']
  await privileged(...asUser, 'kill', '-s', 'KILL', '--', '-1').catch(() => undefined)
}

/** Why a level does not work; undefined when it does. */
async function tryOut({ place, path }: IsolationOrder, isolation: Isolation): Promise<string | undefined> {
  const own = join(place, 'isolation-trial')
  await mkdir(own, { recursive: true })
  try {
    await isolation.give(own)
    const outcome = await runGroup({
      argv: ['/bin/sh', '-c', `[ "$(id -u)" = ${CANDIDATE_USER} ] && : > trial && [ -e ${'"$PWD"'}/trial ]`],
      cwd: own,
      env: { PATH: path },
      timeoutMs: TRIAL_MS,
      maxOutputBytes: 4096,
      enclosure: { isolation, own, readOnly: [] },
    })
    if (outcome.status === 'exited' && outcome.exitCode === 0) return undefined
    return outcome.stderr.trim().split('\n').at(-1) || outcome.status
  } catch (error) {
    return error instanceof Error ? (error.message.trim().split('\n').at(-1) ?? '') : String(error)
  } finally {
    await isolation.remove(own).catch(() => rm(own, { recursive: true, force: true }))
  }
}
