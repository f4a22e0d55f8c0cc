import { existsSync } from 'node:fs'
import { LoreleyError } from '../../errors.ts'
import { removeFolder } from '../disk/remove-folder.ts'
import { signalGroup } from '../kill.ts'
import { tryProgram } from '../try-program.ts'
import { asCandidate, asOurselves, CANDIDATE_USER, inNamespaces } from './enclosure.ts'
import type { EnclosureView } from './entrance.ts'
import type { IsolatedLevel, Isolation, IsolationRequest } from './isolation.ts'
import { tryOut } from './isolation-trial.ts'
import { atThreshold, renderThreshold } from './threshold.ts'
import { findClosedFolders, findToolFolders } from './tool-folders.ts'
import { findUserProcesses } from './user-processes.ts'

export type IsolationSearch =
  | { readonly status: 'found'; readonly isolation: Isolation }
  | { readonly status: 'unavailable'; readonly detail: string }

const MAX_PASSES = 20

/** The first level that works on this machine. Each is tried, because no list of features is reliable. */
export async function findIsolation(request: IsolationRequest): Promise<IsolationSearch> {
  if (process.platform !== 'linux') return { status: 'unavailable', detail: 'it requires Linux' }
  const failures: string[] = []
  for (const level of request.levels) {
    const failure = await tryLevel(request, level)
    if (typeof failure !== 'string') return { status: 'found', isolation: failure }
    failures.push(`${level}: ${failure}`)
  }
  return { status: 'unavailable', detail: failures.join('; ') }
}

async function tryLevel(request: IsolationRequest, level: IsolatedLevel): Promise<Isolation | string> {
  const isRoot = process.getuid?.() === 0
  const isOwn = !isRoot && request.unprivileged === 'own-user'
  if (isOwn && level === 'user') return 'a separate user requires root'
  const isolation = isOwn
    ? createOwnIsolation(request)
    : createIsolation(request, level, isRoot ? [] : ['sudo', '-n', '--'])
  const trial = await tryOut(request, isolation)
  return trial.status === 'works' ? { ...isolation, lacks: trial.lacks } : trial.detail
}

function createView(
  { network, hidden, readOnly, path }: IsolationRequest,
  needed: Pick<EnclosureView, 'own' | 'readOnly' | 'user'>,
): EnclosureView {
  const shown = [...needed.readOnly, ...readOnly, ...findToolFolders(hidden, path)]
  return { ...needed, network, hidden, readOnly: shown.filter((folder) => existsSync(folder)) }
}

// What our user can reach besides files: session sockets, sockets of its groups (docker's is as good as root), terminals
// and devices of its seat.
const OF_OUR_USER = ['/run', '/dev/pts', '/dev/input', '/dev/snd', '/dev/bus']

/** As the current user, in namespaces: needs no privilege. */
function createOwnIsolation(request: IsolationRequest): Isolation {
  return {
    level: 'namespace',
    user: 'own',
    network: request.network,
    rank: [],
    // Root of an empty user namespace can enter its own user's folders whatever their modes.
    searching: ['unshare', '--user', '--map-root-user', '--'],
    enclose: ({ argv, cwd, env, own, readOnly }) => {
      const hidden = [...request.hidden, ...OF_OUR_USER]
      const view = createView({ ...request, hidden }, { own, readOnly, user: 'own' })
      return {
        argv: [...inNamespaces(view), ...asOurselves(), ...atThreshold(request.path), ...argv],
        cwd: '/',
        env: { PATH: request.path },
        stdin: renderThreshold(env, cwd),
      }
    },
    signalGroup: async (leaderPid, signal) => signalGroup(leaderPid, signal),
    give: async () => undefined,
    remove: (folder) => removeFolder(folder),
  }
}

/** As a separate user. `rank` is the prefix of privileged commands, empty for root. */
function createIsolation(
  request: IsolationRequest,
  level: IsolatedLevel,
  rank: readonly string[],
): Isolation {
  const ours = { PATH: request.path }
  const privileged = async (...argv: string[]): Promise<void> => {
    const failure = await tryProgram([...rank, ...argv], ours)
    if (failure === undefined) return
    const hint = 'Check that the disk is not full and that sudo still works, then run it again to continue.'
    throw new LoreleyError('internal', `${argv[0]} failed: ${failure}`, hint)
  }
  return {
    level,
    user: 'other',
    // Without namespaces the network is always the machine's.
    network: level === 'namespace' ? request.network : 'host',
    rank,
    searching: rank,
    enclose: ({ argv, cwd, env, own, readOnly }) => {
      const hidden = [...request.hidden, ...findClosedFolders(request.path)]
      const view = createView({ ...request, hidden }, { own, readOnly, user: 'other' })
      const around = level === 'namespace' ? inNamespaces(view) : []
      return {
        argv: [...rank, ...around, ...asCandidate(), ...atThreshold(request.path), ...argv],
        cwd: '/',
        env: ours,
        stdin: renderThreshold(env, cwd),
      }
    },
    signalGroup: async (leaderPid, signal) => {
      if (leaderPid <= 1) return
      // The shell's builtin: the program `kill` takes some negative numbers for signals.
      const send = async (name: string, ...targets: number[]): Promise<void> => {
        const line = ['sh', '-c', 'kill -s "$0" -- "$@"', name, ...targets.map(String)]
        // They may be gone already: only the outcome counts.
        await privileged(...line).catch(() => undefined)
      }
      if (rank.length === 0) signalGroup(leaderPid, signal)
      else await send(signal.slice(3), -leaderPid)
      if (level === 'user' && request.alone === true && signal === 'SIGKILL') await killCandidateUser(send)
    },
    give: (folder) => privileged('chown', '-R', '-h', `${CANDIDATE_USER}:${CANDIDATE_USER}`, '--', folder),
    remove: (folder) => privileged('rm', '-rf', '--', folder),
  }
}

// A process that left its group is found by its user. Each pass kills what the previous one may have missed.
async function killCandidateUser(send: (name: string, ...targets: number[]) => Promise<void>): Promise<void> {
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const pids = findUserProcesses(CANDIDATE_USER)
    if (pids.length === 0) return
    await send('KILL', ...pids)
  }
}
