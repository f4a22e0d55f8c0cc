import { existsSync, realpathSync } from 'node:fs'
import { quoteForShell as quote } from '../quote.ts'
import { findLayers, findSight, type Layer } from './layers.ts'
import { isInside } from './tool-folders.ts'

/** No single file may exceed 10 GiB. disk-allowance.ts limits their total. */
export const MAX_FILE_BYTES = 10 * 1024 ** 3

/** What a command inside can see of the machine. */
export interface EnclosureView {
  readonly network: 'none' | 'host'
  /** A separate user has no rights to our files. Either can write only to its own folder. */
  readonly user: 'other' | 'own'
  /** Folders and files that appear empty inside. */
  readonly hidden: readonly string[]
  /** The command's own folder, visible at its path even inside a hidden folder. */
  readonly own: string
  /** Folders that are visible at their paths, but read-only. */
  readonly readOnly: readonly string[]
}

/**
 * The shell script that sets up the view and then runs its arguments. It may mount, and nobody outside the new namespaces
 * sees its mounts. It stays the first process (no exec at the end), because programs behave differently as PID 1.
 */
export function renderEntrance(view: EnclosureView): string {
  const sight = findSight(view.hidden, [view.own, ...view.readOnly])
  const own = realpathSync(view.own)
  const layers = findLayers(sight)
  const hold = findHold([...sight.hidden, ...sight.shown.flatMap(({ real, at }) => [real, at])])
  const render = (layer: Layer): string => renderLayer(layer, hold)
  return [
    'set -e',
    // The candidate's user must be able to enter the folders created here.
    'umask 022',
    ...renderSeal(own, view.user),
    ...(view.user === 'own' ? LIMITS : []),
    // Visible folders are held elsewhere while the folders above them are covered. Start few programs: this happens for
    // every run.
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

// The last one exists everywhere and holds nobody's files.
const HOLDS = ['/mnt', '/media', '/srv', '/sys']

/**
 * A folder that can be covered during the set-up: it neither contains nor lies in any of these paths. A runner's work may
 * be on a disk under /mnt.
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

// Every writable mount becomes read-only, with its other options unchanged: the kernel lets a user namespace drop none.
// The command's own folder becomes a separate mount first and stays writable. A separate user needs this too, because
// world-writable files (GitHub's machines have whole toolchains of them) outlive a run.
function renderSeal(own: string, user: EnclosureView['user']): string[] {
  return [
    'mounts=$(cat /proc/self/mounts)',
    `mount -n --bind ${quote(own)} ${quote(own)}`,
    `printf '%s\\n' "$mounts" | while read -r _ at _ options _; do`,
    // Terminals live in /dev/pts. /proc, /dev and the many mounts under /sys hold nothing world-writable, but some under
    // /sys may belong to our own user.
    `  case $at in /proc | /proc/* | /dev | /dev/pts | /dev/pts/*${user === 'other' ? ' | /sys | /sys/*' : ''}) continue ;; esac`,
    '  case ,$options, in *,ro,*) continue ;; esac',
    '  at=$(printf %b "$at")',
    '  fault=$(mount -n -o "remount,bind,$options,ro" "$at" 2>&1) && continue',
    // Covered by another mount or private to its owner: out of our reach, and so out of the candidate's.
    '  [ ! -e "$at" ] || { echo "$fault" >&2; exit 1; }',
    'done',
  ]
}

// A new network namespace starts with the loopback interface down. Small images lack `ip`, but Debian always has perl,
// which sets IFF_UP with SIOCSIFFLAGS. The trial detects when none of this works.
const LOOPBACK = `ip link set lo up 2>/dev/null || ifconfig lo up 2>/dev/null ||
perl -e '$up = pack("a16 s x22", "lo", 1); socket(S, 2, 2, 0) and ioctl(S, 0x8914, $up)' 2>/dev/null || true`

// For our own user; a separate user gets these limits in enclosure.ts. Stricter existing limits stay.
const LIMITS = [
  'prlimit --nproc=4096 --pid $$ 2>/dev/null || true',
  `prlimit --fsize=${MAX_FILE_BYTES} --pid $$ 2>/dev/null || true`,
]
