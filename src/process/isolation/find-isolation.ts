import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LoreleyError } from '../../errors.ts'
import { tryGiveFolder } from '../disk/give-folder.ts'
import { removeFolder } from '../disk/remove-folder.ts'
import { signalGroup } from '../kill.ts'
import { tryProgram } from '../try-program.ts'
import { asCandidate, asOurselves, CANDIDATE_USER, inNamespaces } from './enclosure.ts'
import type { EnclosureView } from './entrance.ts'
import type { IsolatedLevel, Isolation, IsolationRequest } from './isolation.ts'
import { type Trial, tryOut } from './isolation-trial.ts'
import { findPerl, throughPerl } from './perl/perl-entrance.ts'
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
  const create = (perl: string | undefined): Isolation =>
    isOwn
      ? createOwnIsolation(request, perl)
      : createIsolation(request, { level, rank: isRoot ? [] : ['sudo', '-n', '--'], perl })
  const perl = findPerl(request.path)
  const quick = perl === undefined ? undefined : await tryEntrance(request, create(perl))
  if (quick?.status === 'works') return quick.isolation
  // What Perl could not do may still work with the programs of util-linux, which ask less of the kernel.
  const plain = await tryEntrance(request, create(undefined))
  return plain.status === 'works' ? plain.isolation : (quick?.detail ?? plain.detail)
}

type Tried = { readonly status: 'works'; readonly isolation: Isolation } | (Trial & { status: 'fails' })

/** Tries an entrance with shared layers if it can have them, then without. */
async function tryEntrance(request: IsolationRequest, isolation: Isolation): Promise<Tried> {
  for (const sharesLayers of isolation.sharesLayers ? [true, false] : [false]) {
    const trial = await tryOut(request, { ...isolation, sharesLayers })
    if (trial.status === 'works') {
      const lacks = [trial.lacks, isolation.lacks, findNestingLack()].filter(Boolean).join(' ')
      return { status: 'works', isolation: { ...isolation, sharesLayers, lacks: lacks || undefined } }
    }
    if (!sharesLayers) return trial
  }
  return { status: 'fails', detail: 'it was not tried' }
}

/** Why a program inside gets no user namespace of its own, as `loreley-candidate` needs. Root does not need one. */
function findNestingLack(): string | undefined {
  const isSet = (name: string, value: string): boolean => {
    const file = join('/proc/sys', name)
    return existsSync(file) && readFileSync(file, 'utf8').trim() === value
  }
  const isRestricted = isSet('kernel/apparmor_restrict_unprivileged_userns', '1')
  if (!isRestricted && !isSet('user/max_user_namespaces', '0')) return undefined
  return `Evaluation commands cannot use \`loreley-candidate\`, because ${isRestricted ? 'AppArmor restricts' : 'the system forbids'} user namespaces here. See "Ubuntu and user namespaces" in docs/how-to/harden-a-repository.md.`
}

function createView(
  { network, hidden, readOnly, path }: IsolationRequest,
  needed: Pick<EnclosureView, 'own' | 'readOnly' | 'user'>,
): EnclosureView {
  // /etc/resolv.conf is often a link into this folder.
  const names = network === 'host' ? ['/run/systemd/resolve'] : []
  const shown = [...needed.readOnly, ...readOnly, ...names, ...findToolFolders(hidden, path)]
  return { ...needed, network, hidden, readOnly: shown.filter((folder) => existsSync(folder)) }
}

// Sockets of services and of other candidates, which need no network, and message queues.
const OF_THE_MACHINE = ['/run', '/dev/mqueue']
// What our user can reach besides files: terminals and devices of its seat. In /run also session sockets, and sockets of
// its groups (docker's is as good as root).
const OF_OUR_USER = ['/dev/pts', '/dev/input', '/dev/snd', '/dev/bus']

const LACKS_PERL =
  'Isolation is set up without Perl: kernel keyrings outlive a run, dependencies are copied for every run, and a run whose host is killed ends only when the next one starts.'

/** As the current user, in namespaces: needs no privilege. */
function createOwnIsolation(request: IsolationRequest, perl: string | undefined): Isolation {
  return {
    level: 'namespace',
    user: 'own',
    network: request.network,
    lacks: perl === undefined ? LACKS_PERL : undefined,
    sharesLayers: perl !== undefined,
    rank: [],
    // Root of an empty user namespace can enter its own user's folders whatever their modes.
    searching: ['unshare', '--user', '--map-root-user', '--'],
    enclose: (command) => {
      const { argv, cwd, env, own, readOnly } = command
      const hidden = [...request.hidden, ...OF_THE_MACHINE, ...OF_OUR_USER]
      const view = createView({ ...request, hidden }, { own, readOnly, user: 'own' })
      if (perl !== undefined)
        return throughPerl({ perl, rank: [], level: 'namespace', path: request.path }, view, command)
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

interface SeparateUser {
  readonly level: IsolatedLevel
  /** The prefix of privileged commands, empty for root. */
  readonly rank: readonly string[]
  readonly perl: string | undefined
}

type Send = (name: string, ...targets: number[]) => Promise<void>

// The shell's builtin: the program `kill` takes some negative numbers for signals.
const SIGNAL = ['sh', '-c', 'kill -s "$0" -- "$@"']

/** As a separate user. */
function createIsolation(request: IsolationRequest, { level, rank, perl }: SeparateUser): Isolation {
  const ours = { PATH: request.path }
  const privileged = async (...argv: string[]): Promise<void> => {
    const failure = await tryProgram([...rank, ...argv], ours)
    if (failure === undefined) return
    const hint = 'Check that the disk is not full and that sudo still works, then run it again to continue.'
    throw new LoreleyError('internal', `${argv[0]} failed: ${failure}`, hint)
  }
  const send: Send = async (name, ...targets) => {
    // They may be gone already: only the outcome counts.
    await privileged(...SIGNAL, name, ...targets.map(String)).catch(() => undefined)
  }
  return {
    level,
    user: 'other',
    // Without namespaces the network is always the machine's.
    network: level === 'namespace' ? request.network : 'host',
    lacks: perl === undefined ? LACKS_PERL : undefined,
    sharesLayers: perl !== undefined && level === 'namespace',
    rank,
    searching: rank,
    enclose: (command) => {
      const { argv, cwd, env, own, readOnly } = command
      // What is shown may lie in a folder that only we may enter.
      const needed = [request.path, own, ...readOnly].join(':')
      const hidden = [...request.hidden, ...OF_THE_MACHINE, ...findClosedFolders(needed)]
      const view = createView({ ...request, hidden }, { own, readOnly, user: 'other' })
      if (perl !== undefined) return throughPerl({ perl, rank, level, path: request.path }, view, command)
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
      if (rank.length === 0) signalGroup(leaderPid, signal)
      else await send(signal.slice(3), -leaderPid)
      if (level === 'user' && request.alone === true && signal === 'SIGKILL') await killCandidateUser(send)
    },
    give: async (folder) => {
      if (rank.length === 0 && (await tryGiveFolder(folder, CANDIDATE_USER))) return
      await privileged('chown', '-R', '-h', `${CANDIDATE_USER}:${CANDIDATE_USER}`, '--', folder)
    },
    remove: (folder) => (rank.length === 0 ? removeFolder(folder) : privileged('rm', '-rf', '--', folder)),
  }
}

// A process that left its group is found by its user. Each pass kills what the previous one may have missed.
async function killCandidateUser(send: Send): Promise<void> {
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const pids = findUserProcesses(CANDIDATE_USER)
    if (pids.length === 0) return
    await send('KILL', ...pids)
  }
}
