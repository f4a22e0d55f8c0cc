import { existsSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import type { EvaluationConfig } from '../config/campaign-config.ts'
import { LoreleyError } from '../errors.ts'
import type { Repository } from '../git/repository.ts'
import { findIsolation } from '../process/isolation/find-isolation.ts'
import type { Isolation } from '../process/isolation/isolation.ts'
import type { LocalFolders } from './local-folders.ts'

/** What candidate code must not see on this machine, and where isolation is tried. */
export interface LocalMachine {
  readonly repository: Repository
  readonly folders: LocalFolders
  /** A folder for the trial, below the cache like the workspaces. */
  readonly trialFolder: string
  readonly home: string
  readonly path: string
}

/** How candidates are isolated here. */
export type LocalIsolation =
  | { readonly status: 'isolated'; readonly isolation: Isolation }
  /** Without a reason, the config asked for none. */
  | { readonly status: 'none'; readonly isolation: undefined; readonly reason: string | undefined }

const LEVELS = { auto: ['namespace', 'user'], namespace: ['namespace'], user: ['user'] } as const

/**
 * Isolates candidates where that works: as another user for root, else as the current user in namespaces. It never
 * uses `sudo`: on somebody's own machine, that would be a surprise. A level that the config names is given or refused;
 * `auto` takes the best level available, which may be none.
 */
export async function isolateLocally(
  machine: LocalMachine,
  { isolation: wanted, network }: Pick<EvaluationConfig, 'isolation' | 'network'>,
): Promise<LocalIsolation> {
  if (wanted === 'none') return { status: 'none', isolation: undefined, reason: undefined }
  const { path, trialFolder } = machine
  const search = await findIsolation({
    levels: LEVELS[wanted],
    network,
    hidden: foldersToHide(machine),
    // /etc/resolv.conf is often a link into this folder.
    readOnly: network === 'host' ? ['/run/systemd/resolve'] : [],
    unprivileged: 'own-user',
    entered: path.split(':').filter((folder) => isAbsolute(folder) && existsSync(folder)),
    trialFolder,
    path,
  })
  if (search.status === 'found') return { status: 'isolated', isolation: search.isolation }
  if (wanted === 'auto') return { status: 'none', isolation: undefined, reason: search.detail }
  throw new LoreleyError(
    'isolation-unavailable',
    `This machine cannot isolate candidate code as evaluation.isolation: ${wanted} requires: ${search.detail}`,
    'Use Linux as root, or allow user namespaces. `auto` uses what is available; `none` turns isolation off.',
  )
}

// Keys, the repository with its held-out files, other candidates. Where a tool's folder makes a hidden folder visible
// again, the hidden folder and its keys are hidden inside it once more.
function foldersToHide({ repository, folders, home }: LocalMachine): string[] {
  const { folder, commonDir } = repository
  const checkout = basename(commonDir) === '.git' ? [dirname(commonDir)] : []
  const keys = ['.cargo/credentials', '.cargo/credentials.toml'].map((name) => join(home, name))
  const hidden = ['/tmp', '/var/tmp', '/dev/shm', home, folder, commonDir, ...checkout, folders.cache]
  return [...new Set(hidden), ...keys].filter((path) => isAbsolute(path) && path !== '/')
}

/** The warning for a machine that cannot isolate candidates. */
export function renderUnisolated(reason: string): string {
  return `Candidate code runs as your user and can read or change your files, because this machine cannot isolate it (${reason}). To accept that, set \`evaluation.isolation: none\`.`
}
