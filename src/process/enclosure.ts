import { existsSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

/** The user candidate code runs as: `nobody`, which owns nothing and is everywhere. */
export const CANDIDATE_USER = 65534

/** What a command inside may see of the machine. */
export interface EnclosureView {
  readonly network: 'none' | 'host'
  /** Folders that are empty inside. */
  readonly hidden: readonly string[]
  /** The command's own folder, seen at its place also where a hidden folder covers it. */
  readonly own: string
  /** Folders that are seen at their place too, but cannot be written. */
  readonly readOnly: readonly string[]
}

const MAX_PROCESSES = 4096

/** Drops to the candidate's user for good: no groups, no capabilities, and no way to get any back. */
export function asCandidate(env: Readonly<Record<string, string | undefined>>): string[] {
  const assignments = Object.entries(env).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${value}`],
  )
  return [
    ...['prlimit', `--nproc=${MAX_PROCESSES}`, '--core=0'],
    ...['setpriv', `--reuid=${CANDIDATE_USER}`, `--regid=${CANDIDATE_USER}`, '--clear-groups'],
    ...['--no-new-privs', '--bounding-set=-all', '--inh-caps=-all'],
    ...['env', '-i', ...assignments],
  ]
}

/**
 * Starts a command in namespaces of its own: it sees no process but its own, no network, and private temporary
 * folders. When its first process ends, or we do, the kernel ends all the others with it.
 */
export function inNamespaces(view: EnclosureView, cwd: string): string[] {
  const network = view.network === 'none' ? ['--net'] : []
  return [
    ...['unshare', '--fork', '--kill-child', '--pid', '--mount-proc', '--ipc', ...network],
    ...['/bin/sh', '-c', renderEntrance(view, cwd), 'loreley'],
  ]
}

// Runs as root inside the new namespaces. Mounts here are seen by nobody else. It stays as the first process
// (no exec at the end): programs behave differently as number one, and a candidate's must not notice.
function renderEntrance(view: EnclosureView, cwd: string): string {
  const shown = [view.own, ...view.readOnly]
  return [
    'set -e',
    // What must stay in sight is held elsewhere while the folders above it are covered.
    'mount -t tmpfs -o mode=755 loreley /mnt',
    ...shown.flatMap((folder, index) => [
      `mkdir /mnt/${index}`,
      `mount --bind ${quote(folder)} /mnt/${index}`,
    ]),
    ...topmost(view.hidden).map((folder) => `mount -t tmpfs -o mode=1777 loreley ${quote(folder)}`),
    ...shown.flatMap((folder, index) => [
      `mkdir -p ${quote(folder)}`,
      `mount --move /mnt/${index} ${quote(folder)}`,
    ]),
    ...view.readOnly.map((folder) => `mount -o remount,bind,ro ${quote(folder)}`),
    'umount /mnt',
    ...(view.network === 'none' ? ['ip link set lo up 2>/dev/null || true'] : []),
    `cd ${quote(cwd)}`,
    'set +e',
    '"$@"',
    'exit $?',
  ].join('\n')
}

/** The folders that exist and are in no other of the list. */
function topmost(folders: readonly string[]): string[] {
  const present = [...new Set(folders)].filter((folder) => existsSync(folder))
  return present.filter((folder) => !present.some((other) => other !== folder && isInside(folder, other)))
}

/**
 * What of a hidden home must stay readable: the folders that lead to programs on the PATH, such as `.cargo`.
 * Keys in there are for their owner's eyes, and the candidate is somebody else.
 */
export function findToolFolders(home: string, path: string): string[] {
  const inHome = path.split(':').filter((folder) => isInside(folder, home) && folder !== home)
  const first = inHome.map((folder) => join(home, relative(home, folder).split(sep)[0] ?? ''))
  return [...new Set(first)].filter((folder) => existsSync(folder))
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
