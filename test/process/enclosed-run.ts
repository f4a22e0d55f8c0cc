import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DiskAllowance } from '../../src/process/disk/disk-allowance.ts'
import { findIsolation } from '../../src/process/isolation/find-isolation.ts'
import type { IsolationRequest } from '../../src/process/isolation/isolation.ts'
import { runGroup } from '../../src/process/run-group.ts'

const path = process.env.PATH ?? ''

/** Another user takes root. Elsewhere the same tests show that the lack is told. */
export const isRoot = process.platform === 'linux' && process.getuid?.() === 0

/** Whether the kernel and the container that we are in let root, or everybody, make namespaces. */
export const hasNamespaces = isRoot && tryNamespaces([])
export const hasUserNamespaces =
  process.platform === 'linux' && tryNamespaces(['--user', '--map-current-user'])

function tryNamespaces(more: readonly string[]): boolean {
  return spawnSync('unshare', [...more, '--fork', '--pid', '--mount-proc', 'true']).status === 0
}

/** What a trial of an isolation is asked for, in a folder of its own that everybody may enter. */
export interface Trial {
  readonly place: string
  readonly line: string
  readonly changes?: Partial<IsolationRequest>
  readonly timeoutMs?: number
  readonly env?: Readonly<Record<string, string>>
  readonly maxDiskBytes?: number
  /** A folder whose files the line finds among its own. */
  readonly lower?: string
}

/** Runs a line apart, in `own` of the place, with `trusted` beside it. */
export async function runEnclosed({ place, line, changes = {}, ...trial }: Trial) {
  const { timeoutMs = 20_000, env = {}, maxDiskBytes: maxBytes, lower } = trial
  const search = await findIsolation(aRequest(place, changes))
  if (search.status === 'unavailable') throw new Error(search.detail)
  const own = join(place, 'own')
  const trusted = join(place, 'trusted')
  const work = join(place, 'work')
  for (const folder of [own, trusted, ...(lower === undefined ? [] : [work])])
    mkdirSync(folder, { recursive: true })
  writeFileSync(join(trusted, 'measure'), 'ours')
  const { isolation } = search
  await isolation.give(own)
  const disk =
    maxBytes && (await DiskAllowance.open({ folder: own, template: trusted, path, maxBytes, isolation }))
  const outcome = await runGroup({
    argv: ['/bin/sh', '-c', line],
    cwd: own,
    env: { PATH: path, TRUSTED: trusted, KEPT: 'yes', ...env },
    timeoutMs,
    maxOutputBytes: 10_000,
    disk: disk || undefined,
    enclosure: {
      isolation,
      own,
      readOnly: [trusted],
      layer: lower === undefined ? undefined : { lower, upper: own, work },
    },
  })
  const { level, network, user } = isolation
  const remove = () => isolation.remove(own)
  return { outcome, own, trusted, remove, isolation: { level, network, user } }
}

/** The order for namespaces without network. */
export function aRequest(place: string, changes: Partial<IsolationRequest> = {}): IsolationRequest {
  return {
    levels: ['namespace'],
    network: 'none',
    hidden: ['/tmp', '/var/tmp', '/dev/shm'],
    readOnly: [],
    unprivileged: 'own-user',
    trialFolder: place,
    path,
    ...changes,
  }
}
