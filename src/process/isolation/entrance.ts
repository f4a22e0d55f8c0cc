import { existsSync, realpathSync } from 'node:fs'
import { quoteForShell as quote } from '../quote.ts'
import { findLayers, findSight, type Layer } from './layers.ts'
import { isInside } from './tool-folders.ts'

/** No file may grow beyond 10 GiB. What all of them take together is watched: see disk-allowance.ts. */
export const MAX_FILE_BYTES = 10 * 1024 ** 3

/** What a command inside may see of the machine. */
export interface EnclosureView {
  readonly network: 'none' | 'host'
  /** Another user has no rights to our files. Neither can write anything but its own folder. */
  readonly user: 'other' | 'own'
  /** Folders that are empty inside, and files. */
  readonly hidden: readonly string[]
  /** The command's own folder, seen at its place also where a hidden folder covers it. */
  readonly own: string
  /** Folders that are seen at their place too, but cannot be written. */
  readonly readOnly: readonly string[]
}

/**
 * The shell script that arranges the view and then runs its arguments. It runs with the right to mount, inside the
 * new namespaces: mounts here are seen by nobody else. It stays as the first process (no exec at the end): programs
 * behave differently as number one, and a candidate's must not notice.
 */
export function renderEntrance(view: EnclosureView): string {
  const sight = findSight(view.hidden, [view.own, ...view.readOnly])
  const own = realpathSync(view.own)
  const layers = findLayers(sight)
  const hold = findHold([...sight.hidden, ...sight.shown.flatMap(({ real, at }) => [real, at])])
  const render = (layer: Layer): string => renderLayer(layer, hold)
  return [
    'set -e',
    // The folders made on the way are for the candidate's user too.
    'umask 022',
    ...renderSeal(own, view.user),
    ...(view.user === 'own' ? LIMITS : []),
    // What must stay in sight is held elsewhere while the folders above it are covered. Few programs are started,
    // because all this is done for every single run.
    `mount -n -t tmpfs -o mode=755 loreley ${quote(hold)}`,
    `mkdir ${sight.shown.map((_, index) => heldAt(hold, index)).join(' ')}`,
    ...sight.shown.map(({ real }, index) => {
      const options = real === own ? 'bind' : 'bind,ro'
      return `mount -n -o ${options} ${quote(real)} ${heldAt(hold, index)}`
    }),
    ...layers.filter(({ isOutermost }) => isOutermost).map(render),
    `mkdir -p ${sight.shown.map(({ at }) => quote(at)).join(' ')}`,
    ...layers.filter(({ isOutermost }) => !isOutermost).map(render),
    `umount -n ${quote(hold)}`,
    ...(view.network === 'none' ? [LOOPBACK] : []),
    'set +e',
    '"$@"',
    'exit $?',
  ].join('\n')
}

// The last is on every machine, and nothing of anybody's is below it.
const HOLDS = ['/mnt', '/media', '/srv', '/sys']

/**
 * A folder that can be covered for as long as the view is arranged: none of these paths is in it, nor is it in one. A
 * runner's work may well be on a disk below /mnt.
 */
function findHold(used: readonly string[]): string {
  const holds = HOLDS.filter((folder) => existsSync(folder)).map((folder) => realpathSync(folder))
  const free = holds.find((hold) => !used.some((path) => isInside(path, hold) || isInside(hold, path)))
  return free ?? '/mnt'
}

function renderLayer({ path, shown, isFolder }: Layer, hold: string): string {
  if (shown !== undefined) return `mount -n --move ${heldAt(hold, shown)} ${quote(path)}`
  return isFolder
    ? `mount -n -t tmpfs -o mode=1777 loreley ${quote(path)}`
    : `mount -n --bind /dev/null ${quote(path)}`
}

function heldAt(hold: string, index: number): string {
  return quote(`${hold}/${index}`)
}

// Every mount that can be written becomes read-only, with its other options as they are: the kernel lets a user
// namespace take none away. Its own folder becomes a mount of its own before, which stays as it is. Another user needs
// this as well: what everybody may write (GitHub's machines have whole toolchains of that kind) lasts longer than a run.
function renderSeal(own: string, user: EnclosureView['user']): string[] {
  return [
    'mounts=$(cat /proc/self/mounts)',
    `mount -n --bind ${quote(own)} ${quote(own)}`,
    `printf '%s\\n' "$mounts" | while read -r _ at _ options _; do`,
    // Terminals are made in /dev/pts; /proc and /dev hold nothing that everybody may write, and neither do the many
    // mounts below /sys, some of which may be our own user's.
    `  case $at in /proc | /proc/* | /dev | /dev/pts | /dev/pts/*${user === 'other' ? ' | /sys | /sys/*' : ''}) continue ;; esac`,
    '  case ,$options, in *,ro,*) continue ;; esac',
    '  at=$(printf %b "$at")',
    '  fault=$(mount -n -o "remount,bind,$options,ro" "$at" 2>&1) && continue',
    // Covered by another mount, or open to its owner only: out of reach for us, and so for the candidate.
    '  [ ! -e "$at" ] || { echo "$fault" >&2; exit 1; }',
    'done',
  ]
}

// The new network begins with localhost switched off. Small images have no `ip`, but Debian's always have perl: it sets
// IFF_UP by SIOCSIFFLAGS. The trial of a level tells when nothing of this works.
const LOOPBACK = `ip link set lo up 2>/dev/null || ifconfig lo up 2>/dev/null ||
perl -e '$up = pack("a16 s x22", "lo", 1); socket(S, 2, 2, 0) and ioctl(S, 0x8914, $up)' 2>/dev/null || true`

// For who stays our own user; another gets them with its user. Where fewer are allowed anyway, so be it.
const LIMITS = [
  'prlimit --nproc=4096 --pid $$ 2>/dev/null || true',
  `prlimit --fsize=${MAX_FILE_BYTES} --pid $$ 2>/dev/null || true`,
]
