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

const MAX_ROUNDS = 20

/** The first level that works on this machine: each is tried, because no list of features tells for sure. */
export async function findIsolation(order: IsolationRequest): Promise<IsolationSearch> {
  if (process.platform !== 'linux') return { status: 'unavailable', detail: 'it takes Linux' }
  const failures: string[] = []
  for (const level of order.levels) {
    const failure = await tryLevel(order, level)
    if (typeof failure !== 'string') return { status: 'found', isolation: failure }
    failures.push(`${level}: ${failure}`)
  }
  return { status: 'unavailable', detail: failures.join('; ') }
}

async function tryLevel(order: IsolationRequest, level: IsolatedLevel): Promise<Isolation | string> {
  const isRoot = process.getuid?.() === 0
  const isOwn = !isRoot && order.unprivileged === 'own-user'
  if (isOwn && level === 'user') return 'another user takes root'
  const isolation = isOwn
    ? createOwnIsolation(order)
    : createIsolation(order, level, isRoot ? [] : ['sudo', '-n', '--'])
  const trial = await tryOut(order, isolation)
  return trial.status === 'works' ? { ...isolation, lacks: trial.lacks } : trial.detail
}

function createView(
  { network, hidden, readOnly, path }: IsolationRequest,
  needed: Pick<EnclosureView, 'own' | 'readOnly' | 'user'>,
): EnclosureView {
  const shown = [...needed.readOnly, ...readOnly, ...findToolFolders(hidden, path)]
  return { ...needed, network, hidden, readOnly: shown.filter((folder) => existsSync(folder)) }
}

// What our user may use beyond files: sockets of its session and of groups it is in (docker's is as good as root),
// terminals, and what its seat gives it.
const OF_OUR_USER = ['/run', '/dev/pts', '/dev/input', '/dev/snd', '/dev/bus']

/** As ourselves, in namespaces: nothing is given away, nothing takes a privilege. */
function createOwnIsolation(order: IsolationRequest): Isolation {
  return {
    level: 'namespace',
    user: 'own',
    network: order.network,
    rank: [],
    // Root of a namespace with nobody else in it: enters folders of its own user, whatever their modes say.
    searching: ['unshare', '--user', '--map-root-user', '--'],
    enclose: ({ argv, cwd, env, own, readOnly }) => {
      const hidden = [...order.hidden, ...OF_OUR_USER]
      const view = createView({ ...order, hidden }, { own, readOnly, user: 'own' })
      return {
        argv: [...inNamespaces(view), ...asOurselves(), ...atThreshold(order.path), ...argv],
        cwd: '/',
        env: { PATH: order.path },
        stdin: renderThreshold(env, cwd),
      }
    },
    signalGroup: async (leaderPid, signal) => signalGroup(leaderPid, signal),
    give: async () => undefined,
    remove: (folder) => removeFolder(folder),
  }
}

/** As another user. What a privileged command starts with is nothing for root. */
function createIsolation(order: IsolationRequest, level: IsolatedLevel, rank: readonly string[]): Isolation {
  const ours = { PATH: order.path }
  const privileged = async (...argv: string[]): Promise<void> => {
    const failure = await tryProgram([...rank, ...argv], ours)
    if (failure === undefined) return
    const hint =
      'Check that the disk is not full and that sudo still works, then run it again: it carries on.'
    throw new LoreleyError('internal', `${argv[0]} failed: ${failure}`, hint)
  }
  return {
    level,
    user: 'other',
    // Without namespaces the network is the machine's, whatever was asked for.
    network: level === 'namespace' ? order.network : 'host',
    rank,
    searching: rank,
    enclose: ({ argv, cwd, env, own, readOnly }) => {
      const hidden = [...order.hidden, ...findClosedFolders(order.path)]
      const view = createView({ ...order, hidden }, { own, readOnly, user: 'other' })
      const around = level === 'namespace' ? inNamespaces(view) : []
      return {
        argv: [...rank, ...around, ...asCandidate(), ...atThreshold(order.path), ...argv],
        cwd: '/',
        env: ours,
        stdin: renderThreshold(env, cwd),
      }
    },
    signalGroup: async (leaderPid, signal) => {
      if (leaderPid <= 1) return
      // The shell's own: the program of that name takes some numbers of groups for signals.
      const send = async (name: string, ...targets: number[]): Promise<void> => {
        const line = ['sh', '-c', 'kill -s "$0" -- "$@"', name, ...targets.map(String)]
        // They may be gone already: what counts is that nothing is left.
        await privileged(...line).catch(() => undefined)
      }
      if (rank.length === 0) signalGroup(leaderPid, signal)
      else await send(signal.slice(3), -leaderPid)
      if (level === 'user' && order.alone === true && signal === 'SIGKILL') await killCandidateUser(send)
    },
    give: (folder) => privileged('chown', '-R', '-h', `${CANDIDATE_USER}:${CANDIDATE_USER}`, '--', folder),
    remove: (folder) => privileged('rm', '-rf', '--', folder),
  }
}

// A process that left its group is found by its user. Each round kills what the one before it may have missed.
async function killCandidateUser(send: (name: string, ...targets: number[]) => Promise<void>): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const pids = findUserProcesses(CANDIDATE_USER)
    if (pids.length === 0) return
    await send('KILL', ...pids)
  }
}
