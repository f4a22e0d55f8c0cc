import { type EnclosureView, MAX_FILE_BYTES, renderEntrance } from './entrance.ts'

/** The user for candidate code if we may choose one: `nobody`, which exists everywhere and owns nothing. */
export const CANDIDATE_USER = 65534

export const MAX_PROCESSES = 4096
const NO_PRIVILEGES = ['--no-new-privs', '--bounding-set=-all', '--inh-caps=-all']

/** Drops to the candidate's user for good: no groups, no capabilities, no way back. */
export function asCandidate(): string[] {
  return [
    ...['prlimit', `--nproc=${MAX_PROCESSES}`, `--fsize=${MAX_FILE_BYTES}`, '--core=0'],
    ...['setpriv', `--reuid=${CANDIDATE_USER}`, `--regid=${CANDIDATE_USER}`, '--clear-groups'],
    ...NO_PRIVILEGES,
  ]
}

/** Stays the current user, without the capabilities that created the namespaces. */
export function asOurselves(): string[] {
  return ['prlimit', '--core=0', 'setpriv', '--ambient-caps=-all', ...NO_PRIVILEGES]
}

/**
 * Starts a command in its own namespaces: it sees only its own processes, no network, and private temporary folders. When
 * its first process or ours ends, the kernel kills all the others.
 */
export function inNamespaces(view: EnclosureView): string[] {
  const network = view.network === 'none' ? ['--net'] : []
  // Without root, a user namespace grants the right to mount and keeps the user id.
  const user = view.user === 'own' ? ['--user', '--map-current-user', '--keep-caps'] : []
  return [
    ...['unshare', ...user, '--fork', '--kill-child', '--pid', '--mount-proc', '--ipc', ...network],
    ...['/bin/sh', '-c', renderEntrance(view), 'loreley'],
  ]
}
