import { type EnclosureView, MAX_FILE_BYTES, renderEntrance } from './entrance.ts'

/** The user candidate code runs as where we may choose one: `nobody`, which owns nothing and is everywhere. */
export const CANDIDATE_USER = 65534

const MAX_PROCESSES = 4096
const NO_PRIVILEGES = ['--no-new-privs', '--bounding-set=-all', '--inh-caps=-all']

/** Drops to the candidate's user for good: no groups, no capabilities, and no way to get any back. */
export function asCandidate(): string[] {
  return [
    ...['prlimit', `--nproc=${MAX_PROCESSES}`, `--fsize=${MAX_FILE_BYTES}`, '--core=0'],
    ...['setpriv', `--reuid=${CANDIDATE_USER}`, `--regid=${CANDIDATE_USER}`, '--clear-groups'],
    ...NO_PRIVILEGES,
  ]
}

/** Stays the user we are, without the capabilities that the namespaces were made with. */
export function asOurselves(): string[] {
  return ['prlimit', '--core=0', 'setpriv', '--ambient-caps=-all', ...NO_PRIVILEGES]
}

/**
 * Starts a command in namespaces of its own: it sees no process but its own, no network, and private temporary
 * folders. When its first process ends, or we do, the kernel ends all the others with it.
 */
export function inNamespaces(view: EnclosureView): string[] {
  const network = view.network === 'none' ? ['--net'] : []
  // Who is not root gets the right to mount in a user namespace, in which it keeps its number.
  const user = view.user === 'own' ? ['--user', '--map-current-user', '--keep-caps'] : []
  return [
    ...['unshare', ...user, '--fork', '--kill-child', '--pid', '--mount-proc', '--ipc', ...network],
    ...['/bin/sh', '-c', renderEntrance(view), 'loreley'],
  ]
}
